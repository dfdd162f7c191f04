//! The owner of driver objects that are named by a handle.
//!
//! To add a kind of handle, write a type that implements [`Kind`], and use the macro [`handle!`]
//! for the public type. Together they provide shared ownership, `from_raw`, `borrow_raw`,
//! `into_raw`, `as_raw`, `close`, `Clone`, `Debug`, `PartialEq`, `Eq` and `Hash`, the same for
//! every kind.

use std::{
    fmt,
    hash::{Hash, Hasher},
    mem::ManuallyDrop,
    sync::Arc,
};

use crate::{
    capture,
    driver::callback,
    error::{Result, fault::discarding_errors},
};

/// The properties of one kind of handle. A value of the type holds the data of one object, in
/// addition to its handle.
pub(crate) trait Kind: Sized + 'static {
    /// The driver's handle.
    type Raw: Copy + PartialEq + Hash + fmt::Debug + 'static;
    /// The object in which this one was created. Each object keeps its parent alive. Objects with
    /// equal handles have equal parents.
    type Parent: PartialEq + fmt::Debug + 'static;
    /// The type's name, for `Debug`.
    const NAME: &'static str;

    /// Releases the handle.
    ///
    /// # Safety
    /// The caller must ensure that the handle is live and owned, that nothing uses it any more, and
    /// that it is never used again.
    unsafe fn release(&self, raw: Self::Raw, parent: &Self::Parent) -> Result<()>;

    /// Prints the object for `Debug`.
    fn show(
        &self,
        raw: Self::Raw,
        parent: &Self::Parent,
        f: &mut fmt::Formatter<'_>,
    ) -> fmt::Result {
        write!(f, "{}({raw:?}, {parent:?})", Self::NAME)
    }

    /// Called by `into_raw`, before the caller becomes the owner of the handle. Must leak
    /// everything in this object that the driver may still use.
    fn prepare_into_raw(&mut self, raw: Self::Raw) {
        let _ = raw;
    }

    /// Returns whether two objects with equal handle and parent are the same.
    fn is_same(&self, other: &Self) -> bool {
        let _ = other;
        true
    }
}

/// A counted reference to a driver object. Dropping the last one releases the object, if it is
/// owned.
pub(crate) struct Handle<K: Kind>(Arc<Inner<K>>);

/// Releases the object when it is dropped. In a host function the release is postponed.
struct Inner<K: Kind>(ManuallyDrop<Object<K>>);

struct Object<K: Kind> {
    raw: K::Raw,
    owned: bool,
    parent: K::Parent,
    kind: K,
    /// Disposes of an object that is dropped in a host function or a log listener, where it cannot
    /// be released.
    dispose_in_callback: fn(Object<K>),
}

// SAFETY: every driver handle can be used from any thread, because the driver locks. The methods of
// the per-thread default stream, for which that does not hold, check the thread.
unsafe impl<K: Kind + Send> Send for Object<K> where K::Parent: Send {}
// SAFETY: as above.
unsafe impl<K: Kind + Sync> Sync for Object<K> where K::Parent: Sync {}

impl<K: Kind> Handle<K> {
    /// Wraps a handle.
    ///
    /// # Safety
    /// The caller must ensure that:
    ///
    /// - `raw` is a live handle that was created in `parent`;
    /// - if it is owned, no other code releases it;
    /// - otherwise, it outlives the last clone of this object and everything created from it.
    pub(crate) unsafe fn new(raw: K::Raw, owned: bool, parent: K::Parent, kind: K) -> Self
    where
        K: Send,
        K::Parent: Send,
    {
        Self::with(Object {
            raw,
            owned,
            parent,
            kind,
            dispose_in_callback: |object| capture::postpone(move || object.release()),
        })
    }

    #[cfg(feature = "opengl")]
    /// Wraps a handle like [`new`](Self::new), for a kind that must be released on the thread that
    /// created it. A postponed release may run on any thread, so an object that is dropped in a log
    /// listener is leaked.
    ///
    /// # Safety
    /// The contract of [`new`](Self::new) applies.
    pub(crate) unsafe fn bound_to_thread(
        raw: K::Raw,
        owned: bool,
        parent: K::Parent,
        kind: K,
    ) -> Self {
        Self::with(Object {
            raw,
            owned,
            parent,
            kind,
            dispose_in_callback: std::mem::forget,
        })
    }

    fn with(object: Object<K>) -> Self {
        Self(Arc::new(Inner(ManuallyDrop::new(object))))
    }

    #[inline]
    pub(crate) fn raw(&self) -> K::Raw {
        self.0.0.raw
    }

    #[inline]
    pub(crate) fn parent(&self) -> &K::Parent {
        &self.0.0.parent
    }

    #[inline]
    pub(crate) fn kind(&self) -> &K {
        &self.0.0.kind
    }

    pub(crate) fn is_owned(&self) -> bool {
        self.0.0.owned
    }

    pub(crate) fn into_raw(self) -> Result<K::Raw, Self> {
        if !self.is_owned() {
            return Err(self);
        }
        let mut inner = Arc::try_unwrap(self.0).map_err(Self)?;
        let object = &mut *inner.0;
        object.owned = false;
        object.kind.prepare_into_raw(object.raw);
        Ok(object.raw)
    }

    pub(crate) fn close(self) -> Result<()> {
        let Some(inner) = Arc::into_inner(self.0) else {
            return Ok(());
        };
        let mut inner = ManuallyDrop::new(inner);
        // SAFETY: the object is taken only here, because `inner` is not dropped.
        unsafe { ManuallyDrop::take(&mut inner.0) }.end()
    }

    pub(crate) fn downgrade(&self) -> Weak<K> {
        Weak(Arc::downgrade(&self.0))
    }
}

/// A reference that does not keep its object alive.
pub(crate) struct Weak<K: Kind>(std::sync::Weak<Inner<K>>);

impl<K: Kind> Weak<K> {
    pub(crate) fn upgrade(&self) -> Option<Handle<K>> {
        self.0.upgrade().map(Handle)
    }

    pub(crate) fn is_released(&self) -> bool {
        self.0.strong_count() == 0
    }
}

impl<K: Kind> Object<K> {
    fn end(self) -> Result<()> {
        if !self.owned {
            return Ok(());
        }
        if callback::is_running() {
            (self.dispose_in_callback)(self);
            return Ok(());
        }
        let released = self.release();
        capture::release_later();
        released
    }

    fn release(self) -> Result<()> {
        // SAFETY: the object is owned and released once. Everything created from it held a
        // reference.
        unsafe { self.kind.release(self.raw, &self.parent) }
    }
}

impl<K: Kind> Drop for Inner<K> {
    fn drop(&mut self) {
        // SAFETY: the object is taken only here, because it is never used after `drop`.
        let object = unsafe { ManuallyDrop::take(&mut self.0) };
        // `drop` cannot return an error. `close` does.
        let _ = discarding_errors(|| object.end());
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
        // Usually both are clones of one object, for example in every launch.
        Arc::ptr_eq(&self.0, &other.0) || self.is_equal(other)
    }
}

impl<K: Kind> Handle<K> {
    #[cold]
    fn is_equal(&self, other: &Self) -> bool {
        let (a, b) = (&*self.0.0, &*other.0.0);
        a.raw == b.raw && a.parent == b.parent && a.kind.is_same(&b.kind)
    }
}

impl<K: Kind> Eq for Handle<K> {}

impl<K: Kind> Hash for Handle<K> {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.raw().hash(state);
    }
}

impl<K: Kind> fmt::Debug for Handle<K> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.kind().show(self.raw(), self.parent(), f)
    }
}

/// A raw handle or address that moves to the thread that releases it.
pub(crate) struct Sendable<T>(pub(crate) *mut T);

// SAFETY: only the pointer moves. Using the memory behind it is unsafe, and the code on the other
// thread is responsible for it.
unsafe impl<T> Send for Sendable<T> {}

impl<T> Sendable<T> {
    /// Returns the pointer. A method makes a closure capture the whole value and not its field.
    pub(crate) fn get(&self) -> *mut T {
        self.0
    }
}

/// Implements the methods and traits of all handles for a type that wraps a [`Handle`]. If the
/// function that releases the handle is given, also implements `into_raw` and `close`. If the
/// parent's type is given, also implements the constructors from raw handles.
macro_rules! handle {
    ($name:ident, $raw:ty) => {
        impl $name {
            /// Returns the driver's handle. It is valid as long as this object or a clone of it
            /// exists.
            #[must_use]
            #[inline]
            pub fn as_raw(&self) -> $raw {
                self.0.raw()
            }
        }

        impl Clone for $name {
            /// Returns another reference to the same object.
            fn clone(&self) -> Self {
                Self(self.0.clone())
            }
        }

        impl PartialEq for $name {
            /// Returns whether both refer to the same driver object.
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
            #[doc = concat!("Returns the raw handle and gives up ownership. The caller must release it (`", $release, "`", $(", `", $other, "`",)? ") or pass it to")]
            /// [`from_raw`](Self::from_raw). Until then, the caller must also keep alive the
            /// objects in which it was created, because the handle alone does not.
            ///
            /// # Errors
            /// Returns the object unchanged if it is still shared (with clones, or with objects
            /// created from it), or if it is borrowed.
            pub fn into_raw(self) -> Result<$raw, Self> {
                self.0.into_raw().map_err(Self)
            }

            #[doc = concat!("Releases the object now (`", $release, "`", $(", `", $other, "`",)? ") and returns the error")]
            /// that dropping would discard. If the object is still shared (with clones, or with
            /// objects created from it), the last of them releases it later. A borrowed object is
            /// never released.
            ///
            /// # Errors
            /// Returns the driver's error for the release, which may be the fault of a kernel that
            /// ran earlier. The handle is not used again in any case.
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
            #[doc = concat!("Takes ownership of a raw handle, and releases it with `", $release, "` when the last")]
            /// clone is dropped. To use a handle that other code owns, see
            /// [`borrow_raw`](Self::borrow_raw).
            ///
            /// # Safety
            /// The caller must ensure that:
            ///
            /// - `raw` is a live handle that was created in `parent`;
            /// - no other code releases it.
            #[must_use]
            pub unsafe fn from_raw(raw: $raw, parent: &$parent) -> Self {
                let kind = $crate::handle::Adopt::adopt(raw);
                // SAFETY: guaranteed by this function's contract.
                let handle = unsafe { $crate::handle::Handle::new(raw, true, parent.clone(), kind) };
                $crate::handle::Adopt::adopted(&handle);
                Self(handle)
            }

            /// Wraps a raw handle that other code owns, such as another library. The returned
            /// object never releases it.
            ///
            /// # Safety
            /// The caller must ensure that:
            ///
            /// - `raw` is a live handle that was created in `parent`;
            /// - it stays alive until the last clone of the returned object, and everything created
            ///   from it, has been dropped.
            #[must_use]
            pub unsafe fn borrow_raw(raw: $raw, parent: &$parent) -> Self {
                let kind = $crate::handle::Adopt::adopt(raw);
                // SAFETY: guaranteed by this function's contract.
                let handle = unsafe { $crate::handle::Handle::new(raw, false, parent.clone(), kind) };
                $crate::handle::Adopt::adopted(&handle);
                Self(handle)
            }
        }
    };
}
pub(crate) use handle;

/// The construction of a kind's data from a raw handle.
pub(crate) trait Adopt: Kind {
    fn adopt(raw: Self::Raw) -> Self;

    /// Called with each object that is created from a raw handle.
    fn adopted(handle: &Handle<Self>) {
        let _ = handle;
    }
}
