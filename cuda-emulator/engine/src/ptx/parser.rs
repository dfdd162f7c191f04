//! Modules, functions and variables.

use super::ast::{Function, Linkage, Module, StateSpace};
use super::lexer::{Kind, Token, lex};
use super::targets::version_of;
use super::{LoadError, LoadErrorKind};

pub(super) type Result<T> = std::result::Result<T, LoadError>;

/// The newest PTX version that is supported.
const NEWEST: (u32, u32) = (9, 99);

/// Parses one module.
pub(crate) fn parse(source: &str) -> Result<Module<'_>> {
    let mut parser = Parser {
        source,
        tokens: lex(source)?,
        at: 0,
        arrays: Vec::new(),
    };
    parser.module()
}

/// A cursor over the tokens.
pub(super) struct Parser<'a> {
    source: &'a str,
    tokens: Vec<Token>,
    at: usize,
    /// The arrays in scope, and the size of their elements.
    pub(super) arrays: Vec<(&'a str, u32)>,
}

impl<'a> Parser<'a> {
    fn token(&self, ahead: usize) -> Token {
        self.tokens[(self.at + ahead).min(self.tokens.len() - 1)]
    }

    pub(super) fn kind(&self) -> Kind {
        self.token(0).kind
    }

    pub(super) fn kind_at(&self, ahead: usize) -> Kind {
        self.token(ahead).kind
    }

    pub(super) fn line(&self) -> u32 {
        self.token(0).line
    }

    pub(super) fn offset(&self) -> u32 {
        self.token(0).start
    }

    /// Returns the text from an offset on.
    pub(super) fn rest(&self, offset: u32) -> &'a str {
        self.source.get(offset as usize..).unwrap_or("")
    }

    /// Returns the current token's text.
    pub(super) fn text(&self) -> &'a str {
        let token = self.token(0);
        self.source
            .get(token.start as usize..token.end as usize)
            .unwrap_or("")
    }

    pub(super) fn advance(&mut self) {
        if self.at + 1 < self.tokens.len() {
            self.at += 1;
        }
    }

    pub(super) fn take(&mut self, c: u8) -> bool {
        let found = self.kind() == Kind::Punct(c);
        if found {
            self.advance();
        }
        found
    }

    pub(super) fn expect(&mut self, c: u8) -> Result<()> {
        if self.take(c) {
            Ok(())
        } else {
            Err(self.error(&format!("`{}` is needed here", c as char)))
        }
    }

    pub(super) fn word(&mut self) -> Result<&'a str> {
        if self.kind() != Kind::Word {
            return Err(self.error("a name is needed here"));
        }
        let text = self.text();
        self.advance();
        Ok(text)
    }

    pub(super) fn error(&self, message: &str) -> LoadError {
        let found = if self.kind() == Kind::End {
            "the end of the text"
        } else {
            self.text()
        };
        LoadError {
            kind: LoadErrorKind::Syntax,
            line: self.line(),
            instruction: found.into(),
            message: message.into(),
        }
    }

    pub(super) fn unsupported(&self, message: &str) -> LoadError {
        LoadError {
            kind: LoadErrorKind::Unsupported,
            ..self.error(message)
        }
    }

    fn module(&mut self) -> Result<Module<'a>> {
        let mut module = Module::default();
        let mut linkage = Linkage::Internal;
        loop {
            match self.kind() {
                Kind::End if module.version == (0, 0) => {
                    return Err(self.error("no `.version` directive; is this PTX text?"));
                }
                Kind::End => return Ok(module),
                Kind::Punct(b';') => {
                    self.advance();
                    continue;
                }
                Kind::Dot => {}
                _ => return Err(self.error("a directive is needed here; is this PTX text?")),
            }
            let directive = self.text();
            if module.version == (0, 0) && directive != ".version" {
                return Err(self.error("PTX begins with `.version`"));
            }
            match directive {
                ".version" => {
                    self.advance();
                    module.version = self.version()?;
                }
                ".target" => {
                    self.advance();
                    (module.target, module.suffix) = self.target(module.version)?;
                }
                ".address_size" => {
                    self.advance();
                    if self.integer()? != 64 {
                        return Err(self.unsupported("only 64-bit addresses are supported"));
                    }
                }
                ".visible" => {
                    self.advance();
                    linkage = Linkage::Visible;
                    continue;
                }
                ".extern" => {
                    self.advance();
                    linkage = Linkage::Extern;
                    continue;
                }
                ".weak" => {
                    self.advance();
                    linkage = Linkage::Weak;
                    continue;
                }
                ".common" => {
                    self.advance();
                    linkage = Linkage::Common;
                    continue;
                }
                ".entry" | ".func" => {
                    let function = self.function(linkage)?;
                    module.functions.push(function);
                }
                ".file" => {
                    self.advance();
                    let index = self.small()?;
                    let name = self.text();
                    if self.kind() != Kind::String {
                        return Err(self.error("a file name is needed here"));
                    }
                    self.advance();
                    module.files.push((index, name.trim_matches('"')));
                    while self.take(b',') {
                        self.integer()?;
                    }
                }
                ".pragma" => {
                    while !matches!(self.kind(), Kind::Punct(b';') | Kind::End) {
                        self.advance();
                    }
                    self.expect(b';')?;
                }
                ".loc" => {
                    let line = self.line();
                    while self.line() == line && !matches!(self.kind(), Kind::End) {
                        self.advance();
                    }
                }
                ".section" => self.section()?,
                ".alias" => {
                    self.advance();
                    let name = self.word()?;
                    self.expect(b',')?;
                    let target = self.word()?;
                    self.expect(b';')?;
                    module.aliases.push((name, target));
                }
                ".global" | ".const" | ".shared" | ".local" => {
                    self.variables(linkage, &mut module.variables)?
                }
                _ => return Err(self.unsupported("the emulator does not support this directive")),
            }
            linkage = Linkage::Internal;
        }
    }

    fn version(&mut self) -> Result<(u32, u32)> {
        let text = self.text();
        let parts = text
            .split_once('.')
            .and_then(|(a, b)| Some((a.parse().ok()?, b.parse().ok()?)));
        let version: (u32, u32) =
            parts.ok_or_else(|| self.error("a version such as 9.0 is needed here"))?;
        if version > NEWEST {
            return Err(LoadError {
                kind: LoadErrorKind::Version,
                ..self.error(&format!("PTX {text} is newer than {}.{}, the newest version that the emulator supports. Fix: compile with an older toolkit", NEWEST.0, NEWEST.1))
            });
        }
        if version.0 == 0 {
            return Err(self.error("this PTX version does not exist"));
        }
        self.advance();
        Ok(version)
    }

    /// Parses the targets of a module of this version.
    fn target(&mut self, version: (u32, u32)) -> Result<(u32, &'a str)> {
        let mut target = (0, "");
        loop {
            let name = self.word()?;
            if let Some(digits) = name.strip_prefix("sm_") {
                let number = digits.trim_end_matches(['a', 'f']);
                let suffix = &digits[number.len()..];
                let number = number
                    .parse()
                    .map_err(|_| self.error("this target does not exist"))?;
                match version_of(number, suffix) {
                    None => return Err(self.error("this target does not exist")),
                    Some((major, minor)) if version < (major, minor) => {
                        return Err(self.error(&format!(
                            "`.target {name}` needs `.version {major}.{minor}` or newer"
                        )));
                    }
                    Some(_) => target = (number, suffix),
                }
            } else if !matches!(
                name,
                // Doubles are not converted: GPUs since 1.3 support them.
                "map_f64_to_f32" | "texmode_independent" | "texmode_unified" | "debug"
            ) {
                return Err(
                    self.unsupported(&format!("the emulator does not support `.target {name}`"))
                );
            }
            if !self.take(b',') {
                return Ok(target);
            }
        }
    }

    /// Skips a `.section` with its braces, which contains debugging information.
    pub(super) fn section(&mut self) -> Result<()> {
        while !matches!(self.kind(), Kind::Punct(b'{') | Kind::End) {
            self.advance();
        }
        let mut depth = 0usize;
        loop {
            match self.kind() {
                Kind::Punct(b'{') => depth += 1,
                Kind::Punct(b'}') => depth -= 1,
                Kind::End => return Err(self.error("a section is not terminated")),
                _ => {}
            }
            self.advance();
            if depth == 0 {
                return Ok(());
            }
        }
    }

    fn function(&mut self, linkage: Linkage) -> Result<Function<'a>> {
        let line = self.line();
        let entry = self.text() == ".entry";
        let outer = self.arrays.len();
        self.advance();
        self.attributes()?;
        let returns = if self.kind() == Kind::Punct(b'(') {
            self.params()?
        } else {
            Vec::new()
        };
        let name = self.word()?;
        let params = if self.kind() == Kind::Punct(b'(') {
            self.params()?
        } else {
            Vec::new()
        };
        if entry && params.iter().any(|p| p.space == StateSpace::Reg) {
            return Err(self.error("a kernel's parameters must be .param"));
        }
        let mut function = Function {
            name,
            entry,
            linkage,
            returns,
            params,
            body: None,
            max_threads: None,
            required_block: None,
            min_blocks: None,
            max_registers: None,
            required_cluster: None,
            explicit_cluster: false,
            max_cluster: None,
            line,
        };
        while self.kind() == Kind::Dot {
            let directive = self.text();
            match directive {
                ".maxntid" | ".reqntid" => {
                    self.advance();
                    let block = self.dimensions()?;
                    if directive == ".maxntid" {
                        function.max_threads =
                            Some(block.iter().fold(1u32, |a, &b| a.saturating_mul(b)));
                    } else {
                        function.required_block = Some(block);
                    }
                }
                ".minnctapersm" | ".maxnctapersm" => {
                    self.advance();
                    function.min_blocks = Some(self.small()?);
                }
                ".maxnreg" => {
                    self.advance();
                    function.max_registers = Some(self.small()?);
                }
                ".maxclusterrank" => {
                    self.advance();
                    function.max_cluster = Some(self.small()?);
                }
                ".abi_preserve" | ".abi_preserve_control" => {
                    self.advance();
                    self.small()?;
                }
                ".noreturn" | ".blocksareclusters" => self.advance(),
                ".unique" => self.advance(),
                ".explicitcluster" => {
                    function.explicit_cluster = true;
                    self.advance();
                }
                ".reqnctapercluster" => {
                    self.advance();
                    function.required_cluster = Some(self.dimensions()?);
                }
                ".pragma" => {
                    while !matches!(self.kind(), Kind::Punct(b';') | Kind::End) {
                        self.advance();
                    }
                    self.expect(b';')?;
                }
                ".attribute" => {
                    self.attributes()?;
                }
                _ => {
                    return Err(self.unsupported(
                        "the emulator does not support this directive of a function",
                    ));
                }
            }
        }
        if self.take(b'{') {
            function.body = Some(self.body()?);
            self.arrays.truncate(outer);
        } else {
            self.expect(b';')?;
        }
        Ok(function)
    }

    fn dimensions(&mut self) -> Result<[u32; 3]> {
        let mut out = [1; 3];
        for slot in &mut out {
            *slot = self.small()?;
            if !self.take(b',') {
                break;
            }
        }
        Ok(out)
    }

    /// Parses `.attribute(.managed, .unified(..))`. Returns true if managed.
    pub(super) fn attributes(&mut self) -> Result<bool> {
        let mut managed = false;
        while self.kind() == Kind::Dot && self.text() == ".attribute" {
            self.advance();
            self.expect(b'(')?;
            let mut depth = 1usize;
            while depth > 0 {
                match self.kind() {
                    Kind::Punct(b'(') => depth += 1,
                    Kind::Punct(b')') => depth -= 1,
                    Kind::End => return Err(self.error("`)` is missing")),
                    Kind::Dot => managed |= self.text() == ".managed",
                    _ => {}
                }
                self.advance();
            }
        }
        Ok(managed)
    }
}
