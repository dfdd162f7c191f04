//! Objects of other libraries that live as long as a stream.

use std::{
    any::Any,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};

use crate::{capture, driver::callback};

/// The attached objects of a stream, at most one of each type.
#[derive(Default)]
pub(super) struct Attached(Mutex<Vec<Object>>);

type Object = Arc<dyn Any + Send + Sync>;

impl Attached {
    /// Returns the object of this type. If there is none, adds the one that `create` returns.
    pub(super) fn get<T: Any + Send + Sync, E>(
        &self,
        create: impl FnOnce() -> Result<Arc<T>, E>,
    ) -> Result<Arc<T>, E> {
        if let Some(found) = find(&self.lock()) {
            return Ok(found);
        }
        // The lock is not held, because `create` may use the stream.
        let created = create()?;
        let mut objects = self.lock();
        let found = find(&objects);
        if found.is_none() {
            objects.push(created.clone());
        }
        drop(objects);
        Ok(found.unwrap_or(created))
    }

    fn lock(&self) -> MutexGuard<'_, Vec<Object>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Drop for Attached {
    fn drop(&mut self) {
        if callback::is_running() {
            // An object's `drop` may call the driver, which is forbidden here.
            let objects = std::mem::take(&mut *self.lock());
            capture::postpone(move || {
                drop(objects);
                Ok(())
            });
        }
    }
}

fn find<T: Any + Send + Sync>(objects: &[Object]) -> Option<Arc<T>> {
    let found = objects.iter().find(|object| (***object).is::<T>())?;
    found.clone().downcast().ok()
}

#[cfg(test)]
mod tests {
    use std::{
        convert::Infallible,
        sync::atomic::{AtomicUsize, Ordering},
    };

    use super::*;
    use crate::{Context, Stream};

    /// Counts its drops, which must not happen in a host function.
    struct Counted(Arc<AtomicUsize>);

    impl Drop for Counted {
        fn drop(&mut self) {
            assert!(!callback::is_running());
            self.0.fetch_add(1, Ordering::SeqCst);
        }
    }

    fn attach<T: Any + Send + Sync>(stream: &Stream, object: T) -> Arc<T> {
        let attached = stream.attached(|| Ok::<_, Infallible>(Arc::new(object)));
        attached.unwrap_or_else(|error| match error {})
    }

    #[test]
    fn a_stream_has_one_object_of_each_type() {
        let context = Context::primary(0).unwrap();
        let stream = Stream::new(&context).unwrap();
        assert_eq!(
            stream.attached(|| Err::<Arc<u8>, _>("failed")),
            Err("failed")
        );
        assert_eq!(*attach(&stream, 1u8), 1);
        assert_eq!(*attach(&stream.clone(), 2u8), 1);
        assert_eq!(*attach(&stream, 3u16), 3);
        assert_eq!(*attach(&Stream::new(&context).unwrap(), 4u8), 4);
        // An object that `create` attaches itself stays.
        let nested = stream.attached(|| Ok::<_, Infallible>(Arc::new(*attach(&stream, 5u32) + 1)));
        assert_eq!(nested.map(|object| *object), Ok(5));
    }

    #[test]
    fn objects_are_dropped_with_the_last_clone() {
        let context = Context::primary(0).unwrap();
        let dropped = Arc::new(AtomicUsize::new(0));
        let count = || dropped.load(Ordering::SeqCst);
        let stream = Stream::new(&context).unwrap();
        attach(&stream, Counted(dropped.clone()));
        let clone = stream.clone();
        drop(stream);
        assert_eq!(count(), 0);
        drop(clone);
        assert_eq!(count(), 1);

        // In a host function, borrowed streams too drop them later.
        let stream = Stream::new(&context).unwrap();
        let borrowed = Stream::legacy_default(&context);
        attach(&borrowed, Counted(dropped.clone()));
        stream.launch_host_function(move || drop(borrowed)).unwrap();
        stream.synchronize().unwrap();
        Stream::new(&context).unwrap().close().unwrap(); // makes postponed releases
        assert_eq!(count(), 2);
    }
}
