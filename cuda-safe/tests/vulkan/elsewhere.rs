//! The API on the other side: Vulkan, or its replacement on the emulator.

use std::{
    os::fd::OwnedFd,
    sync::{Arc, OnceLock},
    thread,
};

use cuda_safe::{
    Context, Device,
    share::{ExternalSemaphore, ExternalSemaphoreKind},
    sys,
};

#[path = "../common/semaphore.rs"]
mod semaphore;

use crate::{structures::Number, vulkan::Vulkan};
use semaphore::Page;

/// The API on the other side.
pub enum Elsewhere {
    Vulkan(Box<Vulkan>),
    /// Pages of memory, for the emulator.
    Pages,
}

/// A timeline semaphore of the other side.
pub enum Timeline {
    Vulkan(&'static Vulkan, Number),
    Page(Arc<Page>),
}

/// A binary semaphore of the other side.
pub enum Binary {
    Vulkan(&'static Vulkan, Number),
    Page(Arc<Page>),
}

fn is_emulator() -> bool {
    let mut found = std::ptr::null_mut();
    let name = c"cuEmulatorGetReport";
    // SAFETY: the name ends in NUL, and `found` is valid for writes.
    let code = unsafe {
        sys::cuGetProcAddress_v2(name.as_ptr(), &mut found, 2000, 0, std::ptr::null_mut())
    };
    code == sys::CUresult::CUDA_SUCCESS && !found.is_null()
}

/// Returns the other side, if there is one, and prints which it is.
pub fn elsewhere() -> Option<&'static Elsewhere> {
    static ONE: OnceLock<Option<Elsewhere>> = OnceLock::new();
    let one = ONE.get_or_init(|| {
        let device = Device::get(0).expect("a device");
        match Vulkan::open(device.uuid().expect("its UUID").0) {
            Ok(vulkan) => {
                println!("the other side is Vulkan");
                Some(Elsewhere::Vulkan(Box::new(vulkan)))
            }
            Err(_) if is_emulator() => {
                println!("the other side is pages in memory: this is the emulator");
                Some(Elsewhere::Pages)
            }
            Err(error) => {
                println!("there is no other side, so nothing is tested: {error}");
                None
            }
        }
    });
    one.as_ref()
}

impl Elsewhere {
    pub fn timeline(&'static self, value: u64) -> Timeline {
        match self {
            Self::Vulkan(vulkan) => Timeline::Vulkan(vulkan, vulkan.semaphore(Some(value))),
            Self::Pages => {
                let page = Page::new(ExternalSemaphoreKind::TIMELINE_FD.0, value);
                Timeline::Page(Arc::new(page))
            }
        }
    }

    pub fn binary(&'static self) -> Binary {
        match self {
            Self::Vulkan(vulkan) => Binary::Vulkan(vulkan, vulkan.semaphore(None)),
            Self::Pages => {
                let page = Page::new(ExternalSemaphoreKind::OPAQUE_FD.0, 0);
                Binary::Page(Arc::new(page))
            }
        }
    }
}

impl Timeline {
    pub fn export(&self) -> OwnedFd {
        match self {
            Self::Vulkan(vulkan, semaphore) => vulkan.export_semaphore(*semaphore),
            Self::Page(page) => page.export(),
        }
    }

    pub fn import(&self, context: &Context) -> ExternalSemaphore {
        let kind = ExternalSemaphoreKind::TIMELINE_FD;
        // SAFETY: the other side's use of the timeline orders no memory accesses.
        unsafe { ExternalSemaphore::import(context, kind, self.export()) }.unwrap()
    }

    pub fn value(&self) -> u64 {
        match self {
            Self::Vulkan(vulkan, semaphore) => vulkan.value(*semaphore),
            Self::Page(page) => page.value(),
        }
    }

    pub fn signal(&self, value: u64) {
        match self {
            Self::Vulkan(vulkan, semaphore) => vulkan.signal(*semaphore, value),
            Self::Page(page) => page.set(value),
        }
    }
}

impl Binary {
    pub fn import(&self, context: &Context) -> ExternalSemaphore {
        let file = match self {
            Self::Vulkan(vulkan, semaphore) => vulkan.export_semaphore(*semaphore),
            Self::Page(page) => page.export(),
        };
        let kind = ExternalSemaphoreKind::OPAQUE_FD;
        // SAFETY: the other side's use of the semaphore orders no memory accesses.
        unsafe { ExternalSemaphore::import(context, kind, file) }.unwrap()
    }

    pub fn signal(&self) {
        match self {
            Self::Vulkan(vulkan, semaphore) => vulkan.submit(None, None, Some((*semaphore, 0))),
            Self::Page(page) => page.set(1),
        }
    }

    /// Makes the other side wait for this semaphore and then signal a timeline.
    pub fn pass_on(&self, to: &Timeline, value: u64) {
        match (self, to) {
            (Self::Vulkan(vulkan, from), Timeline::Vulkan(_, to)) => {
                vulkan.submit(Some(*from), None, Some((*to, value)));
            }
            (Self::Page(from), Timeline::Page(to)) => {
                let (from, to) = (from.clone(), to.clone());
                thread::spawn(move || {
                    while from.value() == 0 {
                        thread::yield_now();
                    }
                    from.set(0);
                    to.set(value);
                });
            }
            _ => panic!("the semaphores belong to different sides"),
        }
    }
}
