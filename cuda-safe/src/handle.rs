//! The one owner of what the driver hands out by handle.
//!
//! A kind of handle is one file: a type that implements [`Kind`], and the macro [`handle!`] at the type that users
//! see. Both together give it shared ownership, `from_raw`, `borrow_raw`, `into_raw`, `as_raw`, `close`, `Clone`,
//! `Debug`, `PartialEq`, `Eq` and `Hash`, the same on every kind.

use std::{
    fmt,
    hash::{Hash, Hasher},
    sync::Arc,
};

use crate::error::Result;

/// What there is to know of one kind of handle. The type itself holds what an object of this kind knows beside its
/// handle.
pub(crate) trait Kind: Sized {
    /// The driver's handle.
    type Raw: Copy + PartialEq + Hash + fmt::Pointer;
    /// What it was made in. Held for as long as it, and equal for equal handles.
    type Parent: PartialEq + fmt::Debug;
    /// The type's name, for `Debug`.
    const NAME: &'static str;

    /// Gives the handle back to the driver.
    ///
    /// # Safety
    /// The handle is live and owned, nothing uses it any more, and it is never used again.
    unsafe fn release(&self, raw: Self::Raw, parent: &Self::Parent) -> Result<()>;

    /// What `Debug` shows.
    fn show(
        &self,
        raw: Self::Raw,
        parent: &Self::Parent,
        f: &mut fmt::Formatter<'_>,
    ) -> fmt::Result {
        write!(f, "{}({raw:p}, {parent:?})", Self::NAME)
    }

    /// Whether two objects with equal handle and parent are the same.
    fn is_same(&self, other: &Self) -> bool {
        let _ = other;
        true
    }
}

/// A shared hold on a driver's object, which is released with the last one, if it is owned.
pub(crate) struct Handle<K: Kind>(Arc<Inner<K>>);

struct Inner<K: Kind> {
    raw: K::Raw,
    owned: bool,
    parent: K::Parent,
    kind: K,
}

// SAFETY: every handle of the driver may be used from any thread, the driver locks; where that does not hold (the
// per-thread default stream) the kind's methods check it.
unsafe impl<K: Kind + Send> Send for Inner<K> where K::Parent: Send {}
// SAFETY: as above.
unsafe impl<K: Kind + Sync> Sync for Inner<K> where K::Parent: Sync {}

impl<K: Kind> Handle<K> {
    /// # Safety
    /// `raw` is a live handle of `parent`. Where it is owned, nothing else releases it; otherwise it lives for as long
    /// as the last clone of this and of what is made from it.
    pub(crate) unsafe fn new(raw: K::Raw, owned: bool, parent: K::Parent, kind: K) -> Self {
        Self(Arc::new(Inner {
            raw,
            owned,
            parent,
            kind,
        }))
    }

    #[inline]
    pub(crate) fn raw(&self) -> K::Raw {
        self.0.raw
    }

    #[inline]
    pub(crate) fn parent(&self) -> &K::Parent {
        &self.0.parent
    }

    #[inline]
    pub(crate) fn kind(&self) -> &K {
        &self.0.kind
    }

    pub(crate) fn into_raw(self) -> Result<K::Raw, Self> {
        if !self.0.owned {
            return Err(self);
        }
        let mut inner = Arc::try_unwrap(self.0).map_err(Self)?;
        inner.owned = false;
        Ok(inner.raw)
    }

    pub(crate) fn close(self) -> Result<()> {
        Arc::into_inner(self.0).map_or(Ok(()), |mut inner| inner.release())
    }

    pub(crate) fn downgrade(&self) -> Weak<K> {
        Weak(Arc::downgrade(&self.0))
    }
}

/// A handle that doesn't keep its object.
pub(crate) struct Weak<K: Kind>(std::sync::Weak<Inner<K>>);

impl<K: Kind> Weak<K> {
    pub(crate) fn upgrade(&self) -> Option<Handle<K>> {
        self.0.upgrade().map(Handle)
    }

    pub(crate) fn is_gone(&self) -> bool {
        self.0.strong_count() == 0
    }
}

impl<K: Kind> Inner<K> {
    fn release(&mut self) -> Result<()> {
        if !std::mem::take(&mut self.owned) {
            return Ok(());
        }
        // SAFETY: owned, and released once; everything made from it held it.
        unsafe { self.kind.release(self.raw, &self.parent) }
    }
}

impl<K: Kind> Drop for Inner<K> {
    fn drop(&mut self) {
        // An error here can't be acted upon; `close` reports it.
        let _ = self.release();
    }
}

impl<K: Kind> Clone for Handle<K> {
    fn clone(&self) -> Self {
        Self(Arc::clone(&self.0))
    }
}

impl<K: Kind> PartialEq for Handle<K> {
    #[inline]
    fn eq(&self, other: &Self) -> bool {
        // Clones are the usual case, also of each launch.
        Arc::ptr_eq(&self.0, &other.0) || self.is_equal(other)
    }
}

impl<K: Kind> Handle<K> {
    #[cold]
    fn is_equal(&self, other: &Self) -> bool {
        let (a, b) = (&*self.0, &*other.0);
        a.raw == b.raw && a.parent == b.parent && a.kind.is_same(&b.kind)
    }
}

impl<K: Kind> Eq for Handle<K> {}

impl<K: Kind> Hash for Handle<K> {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.0.raw.hash(state);
    }
}

impl<K: Kind> fmt::Debug for Handle<K> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.kind.show(self.0.raw, &self.0.parent, f)
    }
}

/// Gives a type over a [`Handle`] the methods and traits that all handles have. With a parent's type, also the
/// constructors from raw handles; the text says what a raw handle of this kind must be.
macro_rules! handle {
    ($name:ident, $raw:ty) => {
        impl $name {
            /// The driver's handle, valid for as long as this object or a clone of it is held.
            #[must_use]
            #[inline]
            pub fn as_raw(&self) -> $raw {
                self.0.raw()
            }
        }

        impl Clone for $name {
            /// Another hold on the same object.
            fn clone(&self) -> Self {
                Self(self.0.clone())
            }
        }

        impl PartialEq for $name {
            /// Whether both are the same object of the driver's.
            #[inline]
            fn eq(&self, other: &Self) -> bool {
                self.0 == other.0
            }
        }

        impl Eq for $name {}

        impl std::hash::Hash for $name {
            fn hash<H: std::hash::Hasher>(&self, state: &mut H) {
                self.0.hash(state);
            }
        }

        impl std::fmt::Debug for $name {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                std::fmt::Debug::fmt(&self.0, f)
            }
        }
    };

    ($name:ident, $raw:ty, released by $release:literal $(or $other:literal)?) => {
        $crate::handle::handle!($name, $raw);

        impl $name {
            #[doc = concat!("Gives the handle up: the caller releases it from now on (`", $release, "`", $(", `", $other, "`",)? "), or gives")]
            /// it back with [`from_raw`](Self::from_raw). What it was made in is no longer held by it, and must be kept
            /// alive by the caller until then.
            ///
            /// # Errors
            /// Gives the object back where others hold it too (clones, and what was made from it), or where it is
            /// borrowed.
            pub fn into_raw(self) -> Result<$raw, Self> {
                self.0.into_raw().map_err(Self)
            }

            #[doc = concat!("Releases the object now (`", $release, "`", $(", `", $other, "`",)? ") and says whether that")]
            /// worked. Where others hold it too, nothing happens until the last of them lets go, and where it is borrowed, nothing at all.
            /// Dropping does the same and keeps the error to itself.
            ///
            /// # Errors
            /// The driver's, for instance of a kernel that failed earlier. The handle is not used again.
            #[doc(alias = $release)]
            $(#[doc(alias = $other)])?
            pub fn close(self) -> $crate::Result<()> {
                self.0.close()
            }
        }
    };

    ($name:ident, $raw:ty, released by $release:literal, made in $parent:ty) => {
        $crate::handle::handle!($name, $raw, released by $release);

        impl $name {
            #[doc = concat!("Takes ownership of a raw handle: it is released, with `", $release, "`, when the last")]
            /// hold goes. To use a handle that somebody else owns, see [`borrow_raw`](Self::borrow_raw).
            ///
            /// # Safety
            /// `raw` is a live handle, made in `parent`, and nobody else releases it.
            #[must_use]
            pub unsafe fn from_raw(parent: &$parent, raw: $raw) -> Self {
                let kind = $crate::handle::Adopt::adopt(raw);
                // SAFETY: as this function's contract says.
                Self(unsafe { $crate::handle::Handle::new(raw, true, parent.clone(), kind) })
            }

            /// An object for a raw handle that somebody else goes on owning, such as another library. It is never
            /// released by this object.
            ///
            /// # Safety
            /// `raw` is a live handle, made in `parent`. It lives until the last clone of the returned object, and the
            /// last thing made from it, is gone.
            #[must_use]
            pub unsafe fn borrow_raw(parent: &$parent, raw: $raw) -> Self {
                let kind = $crate::handle::Adopt::adopt(raw);
                // SAFETY: as this function's contract says.
                Self(unsafe { $crate::handle::Handle::new(raw, false, parent.clone(), kind) })
            }
        }
    };
}
pub(crate) use handle;

/// What is known of an object of which there is only the raw handle.
pub(crate) trait Adopt: Kind {
    fn adopt(raw: Self::Raw) -> Self;
}
