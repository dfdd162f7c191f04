//! The parts of Vulkan that these tests use, opened at run time on CUDA's device 0.

use std::{
    ffi::{CStr, c_char, c_void},
    mem::{MaybeUninit, transmute_copy},
    os::fd::{FromRawFd, OwnedFd},
    ptr::{self, null, null_mut},
    sync::{Mutex, PoisonError},
};

use crate::structures::*;

/// `vkGetInstanceProcAddr`
type Find = unsafe extern "C" fn(Object, *const c_char) -> *const c_void;

/// Declares functions of Vulkan by their names without `vk`.
macro_rules! functions {
    ($($name:ident($($arg:ty),*) $(-> $result:ty)?;)*) => {
        #[allow(non_snake_case, reason = "Vulkan's names")]
        struct Functions {
            $($name: unsafe extern "C" fn($($arg),*) $(-> $result)?,)*
        }

        impl Functions {
            /// # Safety
            ///
            /// The caller must ensure that `instance` is live and supports at least Vulkan 1.2.
            unsafe fn of(find: Find, instance: Object) -> Option<Self> {
                Some(Self {
                    $($name: {
                        let name = concat!("vk", stringify!($name), "\0");
                        // SAFETY: the name ends in NUL, and the function has the type in Vulkan's
                        // specification.
                        unsafe { function(find(instance, name.as_ptr().cast()))? }
                    },)*
                })
            }
        }
    };
}

functions! {
    EnumeratePhysicalDevices(Object, *mut u32, *mut Object) -> i32;
    GetPhysicalDeviceProperties2(Object, *mut Properties);
    GetPhysicalDeviceMemoryProperties(Object, *mut MemoryProperties);
    CreateDevice(Object, *const DeviceInfo, *const c_void, *mut Object) -> i32;
    GetDeviceQueue(Object, u32, u32, *mut Object);
    CreateSemaphore(Object, *const SemaphoreInfo, *const c_void, *mut Number) -> i32;
    GetSemaphoreFdKHR(Object, *const GetFile, *mut i32) -> i32;
    GetSemaphoreCounterValue(Object, Number, *mut u64) -> i32;
    SignalSemaphore(Object, *const SignalInfo) -> i32;
    QueueSubmit(Object, u32, *const Submit, Number) -> i32;
    QueueWaitIdle(Object) -> i32;
    CreateBuffer(Object, *const BufferInfo, *const c_void, *mut Number) -> i32;
    GetBufferMemoryRequirements(Object, Number, *mut Requirements);
    BindBufferMemory(Object, Number, Number, u64) -> i32;
    CreateImage(Object, *const ImageInfo, *const c_void, *mut Number) -> i32;
    GetImageMemoryRequirements(Object, Number, *mut Requirements);
    BindImageMemory(Object, Number, Number, u64) -> i32;
    AllocateMemory(Object, *const AllocateInfo, *const c_void, *mut Number) -> i32;
    GetMemoryFdKHR(Object, *const GetFile, *mut i32) -> i32;
    MapMemory(Object, Number, u64, u64, u32, *mut *mut c_void) -> i32;
    CreateCommandPool(Object, *const PoolInfo, *const c_void, *mut Number) -> i32;
    AllocateCommandBuffers(Object, *const CommandsInfo, *mut Object) -> i32;
    BeginCommandBuffer(Object, *const BeginInfo) -> i32;
    EndCommandBuffer(Object) -> i32;
    CmdFillBuffer(Object, Number, u64, u64, u32);
    CmdPipelineBarrier(Object, u32, u32, u32, u32, *const c_void, u32, *const c_void, u32, *const Barrier);
    CmdClearColorImage(Object, Number, u32, *const [u32; 4], u32, *const LevelRange);
    CmdCopyImageToBuffer(Object, Number, u32, Number, u32, *const ImageCopy);
}

/// # Safety
///
/// The caller must ensure that `F` is the type of the function at the address, unless it is null.
unsafe fn function<F>(address: *const c_void) -> Option<F> {
    const { assert!(size_of::<F>() == size_of::<*const c_void>()) };
    // SAFETY: the caller guarantees the type, and a function pointer has the size of an address.
    (!address.is_null()).then(|| unsafe { transmute_copy(&address) })
}

fn good(result: i32, call: &str) {
    assert_eq!(result, 0, "{call}");
}

/// A Vulkan device with a queue. Its objects live until the end of the process.
pub struct Vulkan {
    call: Functions,
    physical: Object,
    device: Object,
    queue: Object,
    pool: Number,
    /// Held while calling functions on queues and pools, which Vulkan allows to one thread at a
    /// time.
    one: Mutex<()>,
}

// SAFETY: Vulkan's handles can be used from any thread. If only one thread at a time may use a
// handle, a lock is held.
unsafe impl Send for Vulkan {}
// SAFETY: as above.
unsafe impl Sync for Vulkan {}

/// An image with levels of 32-bit numbers.
pub struct Image {
    image: Number,
    pub extent: [u32; 2],
    pub levels: u32,
    pub bytes: u64,
    pub file: Option<OwnedFd>,
}

impl Vulkan {
    /// Opens Vulkan on the device with this UUID.
    ///
    /// # Errors
    ///
    /// Returns the reason if Vulkan is not available for the device.
    pub fn open(uuid: [u8; 16]) -> Result<Self, String> {
        // SAFETY: opening this library has no requirements, and the names end in NUL.
        let find = unsafe {
            let library = libc::dlopen(c"libvulkan.so.1".as_ptr(), libc::RTLD_NOW);
            if library.is_null() {
                let error = CStr::from_ptr(libc::dlerror());
                return Err(error.to_string_lossy().into_owned());
            }
            function::<Find>(libc::dlsym(library, c"vkGetInstanceProcAddr".as_ptr()))
        };
        let find = find.ok_or("libvulkan.so.1 has no vkGetInstanceProcAddr")?;
        let instance = instance(find)?;
        // SAFETY: the instance is live.
        let call = unsafe { Functions::of(find, instance) }.ok_or("Vulkan 1.2 lacks functions")?;
        let mut devices = [null_mut(); 64];
        let mut count = 64;
        // SAFETY: the instance is live, and the array has room for `count` devices.
        unsafe { (call.EnumeratePhysicalDevices)(instance, &mut count, devices.as_mut_ptr()) };
        let found = devices[..count as usize]
            .iter()
            .find(|&&device| call.uuid(device) == uuid);
        let physical =
            *found.ok_or_else(|| format!("none of Vulkan's {count} devices is CUDA's device 0"))?;
        let device = call.device(physical)?;
        let (mut queue, mut pool) = (null_mut(), 0);
        let info = PoolInfo {
            head: Head::new(39),
            flags: 0,
            family: 0,
        };
        // SAFETY: the device is live with a queue of family 0, and the pointers are valid for
        // writes.
        unsafe {
            (call.GetDeviceQueue)(device, 0, 0, &mut queue);
            good(
                (call.CreateCommandPool)(device, &info, null(), &mut pool),
                "vkCreateCommandPool",
            );
        }
        Ok(Self {
            call,
            physical,
            device,
            queue,
            pool,
            one: Mutex::new(()),
        })
    }

    /// Creates a semaphore: a timeline with this value, or a binary semaphore.
    pub fn semaphore(&self, timeline: Option<u64>) -> Number {
        let export = Export {
            head: Head::new(1_000_077_000),
            handles: OPAQUE_FD,
        };
        let kind = SemaphoreType {
            head: Head::then(1_000_207_002, &export),
            kind: timeline.is_some().into(),
            value: timeline.unwrap_or(0),
        };
        let info = SemaphoreInfo {
            head: Head::then(9, &kind),
            flags: 0,
        };
        let mut semaphore = 0;
        // SAFETY: the device is live, and the structures outlive the call.
        let made =
            unsafe { (self.call.CreateSemaphore)(self.device, &info, null(), &mut semaphore) };
        good(made, "vkCreateSemaphore");
        semaphore
    }

    pub fn export_semaphore(&self, semaphore: Number) -> OwnedFd {
        let info = GetFile {
            head: Head::new(1_000_079_001),
            object: semaphore,
            handle: OPAQUE_FD,
        };
        let mut file = -1;
        // SAFETY: the semaphore is live and was created for export. The caller owns the file.
        unsafe {
            good(
                (self.call.GetSemaphoreFdKHR)(self.device, &info, &mut file),
                "vkGetSemaphoreFdKHR",
            );
            OwnedFd::from_raw_fd(file)
        }
    }

    /// Returns the value of a timeline.
    pub fn value(&self, semaphore: Number) -> u64 {
        let mut value = 0;
        // SAFETY: the semaphore is live.
        let result =
            unsafe { (self.call.GetSemaphoreCounterValue)(self.device, semaphore, &mut value) };
        good(result, "vkGetSemaphoreCounterValue");
        value
    }

    /// Signals a timeline from the host.
    pub fn signal(&self, semaphore: Number, value: u64) {
        let info = SignalInfo {
            head: Head::new(1_000_207_005),
            semaphore,
            value,
        };
        // SAFETY: the timeline is live.
        let signalled = unsafe { (self.call.SignalSemaphore)(self.device, &info) };
        good(signalled, "vkSignalSemaphore");
    }

    /// Submits work to the queue: it waits for a binary semaphore if there is one, runs the
    /// commands, and signals a semaphore. A timeline gets the value.
    pub fn submit(
        &self,
        wait: Option<Number>,
        commands: Option<Object>,
        signal: Option<(Number, u64)>,
    ) {
        let (waited, value) = (wait.unwrap_or(0), signal.map_or(0, |(_, value)| value));
        let signalled = signal.map_or(0, |(semaphore, _)| semaphore);
        let commands_of = commands.unwrap_or(null_mut());
        let values = TimelineSubmit {
            head: Head::new(1_000_207_003),
            wait_count: u32::from(wait.is_some()),
            waits: &0,
            signal_count: u32::from(signal.is_some()),
            signals: &value,
        };
        let submit = Submit {
            head: Head::then(4, &values),
            wait_count: u32::from(wait.is_some()),
            waits: &waited,
            stages: &ALL_COMMANDS,
            command_count: u32::from(commands.is_some()),
            commands: &commands_of,
            signal_count: u32::from(signal.is_some()),
            signals: &signalled,
        };
        let _one = self.one.lock().unwrap_or_else(PoisonError::into_inner);
        // SAFETY: the semaphores and commands are live, and only one thread calls this at a time.
        let submitted = unsafe { (self.call.QueueSubmit)(self.queue, 1, &submit, 0) };
        good(submitted, "vkQueueSubmit");
    }

    pub fn wait(&self) {
        let _one = self.one.lock().unwrap_or_else(PoisonError::into_inner);
        // SAFETY: the queue is live, and only one thread calls this at a time.
        good(
            unsafe { (self.call.QueueWaitIdle)(self.queue) },
            "vkQueueWaitIdle",
        );
    }

    /// Allocates memory of one of the needed types with all of the flags. `export` makes it
    /// exportable.
    fn memory(&self, needed: &Requirements, flags: u32, export: bool, image: Number) -> Number {
        let mut all = MaybeUninit::<MemoryProperties>::zeroed();
        // SAFETY: the device is live, and Vulkan writes only numbers.
        let all = unsafe {
            (self.call.GetPhysicalDeviceMemoryProperties)(self.physical, all.as_mut_ptr());
            all.assume_init()
        };
        let mut kinds = 0..all.count;
        let fits = |kind: &u32| {
            needed.types >> kind & 1 != 0 && all.types[*kind as usize][0] & flags == flags
        };
        let dedicated = Dedicated {
            head: Head::new(1_000_127_001),
            image,
            buffer: 0,
        };
        let exported = Export {
            head: match image {
                0 => Head::new(1_000_072_002),
                _ => Head::then(1_000_072_002, &dedicated),
            },
            handles: OPAQUE_FD,
        };
        let info = AllocateInfo {
            head: match export {
                true => Head::then(5, &exported),
                false => Head::new(5),
            },
            size: needed.size,
            kind: kinds.find(fits).expect("no memory has this type"),
        };
        let mut memory = 0;
        // SAFETY: the device is live, and the structures outlive the call.
        let made = unsafe { (self.call.AllocateMemory)(self.device, &info, null(), &mut memory) };
        good(made, "vkAllocateMemory");
        memory
    }

    fn export_memory(&self, memory: Number) -> OwnedFd {
        let info = GetFile {
            head: Head::new(1_000_074_002),
            object: memory,
            handle: OPAQUE_FD,
        };
        let mut file = -1;
        // SAFETY: the memory is live and was created for export. The caller owns the file.
        unsafe {
            good(
                (self.call.GetMemoryFdKHR)(self.device, &info, &mut file),
                "vkGetMemoryFdKHR",
            );
            OwnedFd::from_raw_fd(file)
        }
    }

    fn raw_buffer(&self, bytes: u64, export: bool) -> (Number, Requirements) {
        let exported = Export {
            head: Head::new(1_000_072_000),
            handles: OPAQUE_FD,
        };
        let info = BufferInfo {
            head: match export {
                true => Head::then(12, &exported),
                false => Head::new(12),
            },
            flags: 0,
            size: bytes,
            usage: TRANSFER,
            sharing: 0,
            family_count: 0,
            families: null(),
        };
        let (mut buffer, mut needed) = (0, MaybeUninit::<Requirements>::zeroed());
        // SAFETY: the device is live, the structures outlive the calls, and Vulkan writes only
        // numbers.
        unsafe {
            good(
                (self.call.CreateBuffer)(self.device, &info, null(), &mut buffer),
                "vkCreateBuffer",
            );
            (self.call.GetBufferMemoryRequirements)(self.device, buffer, needed.as_mut_ptr());
            (buffer, needed.assume_init())
        }
    }

    /// Creates a buffer of `bytes` bytes. Returns it with the size and the file of its memory.
    pub fn buffer(&self, bytes: u64) -> (Number, u64, OwnedFd) {
        const ON_DEVICE: u32 = 1;
        let (buffer, needed) = self.raw_buffer(bytes, true);
        let memory = self.memory(&needed, ON_DEVICE, true, 0);
        // SAFETY: the buffer is live, and the memory meets its requirements.
        let bound = unsafe { (self.call.BindBufferMemory)(self.device, buffer, memory, 0) };
        good(bound, "vkBindBufferMemory");
        (buffer, needed.size, self.export_memory(memory))
    }

    /// Creates an image in dedicated memory.
    pub fn image(&self, extent: [u32; 2], levels: u32) -> Image {
        const ON_DEVICE: u32 = 1;
        const TWO_DIMENSIONS: u32 = 1;
        let exported = Export {
            head: Head::new(1_000_072_001),
            handles: OPAQUE_FD,
        };
        let [width, height] = extent;
        let info = ImageInfo {
            head: Head::then(14, &exported),
            flags: 0,
            kind: TWO_DIMENSIONS,
            format: R32_UINT,
            extent: [width, height, 1],
            levels,
            layers: 1,
            samples: 1,
            tiling: 0,
            usage: TRANSFER | SHADERS,
            sharing: 0,
            family_count: 0,
            families: null(),
            layout: 0,
        };
        let (mut image, mut needed) = (0, MaybeUninit::<Requirements>::zeroed());
        // SAFETY: the device is live, the structures outlive the calls, and Vulkan writes only
        // numbers.
        let needed = unsafe {
            good(
                (self.call.CreateImage)(self.device, &info, null(), &mut image),
                "vkCreateImage",
            );
            (self.call.GetImageMemoryRequirements)(self.device, image, needed.as_mut_ptr());
            needed.assume_init()
        };
        let memory = self.memory(&needed, ON_DEVICE, true, image);
        // SAFETY: the image is live, and the memory meets its requirements.
        let bound = unsafe { (self.call.BindImageMemory)(self.device, image, memory, 0) };
        good(bound, "vkBindImageMemory");
        Image {
            image,
            extent,
            levels,
            bytes: needed.size,
            file: Some(self.export_memory(memory)),
        }
    }

    /// Returns a command buffer with the commands of `record`.
    fn commands(&self, record: impl FnOnce(Object)) -> Object {
        let info = CommandsInfo {
            head: Head::new(40),
            pool: self.pool,
            level: 0,
            count: 1,
        };
        let begin = BeginInfo {
            head: Head::new(42),
            flags: 0,
            inheritance: null(),
        };
        let mut commands = null_mut();
        let _one = self.one.lock().unwrap_or_else(PoisonError::into_inner);
        // SAFETY: the pool is live, and only one thread calls this at a time.
        unsafe {
            good(
                (self.call.AllocateCommandBuffers)(self.device, &info, &mut commands),
                "vkAllocateCommandBuffers",
            );
            good(
                (self.call.BeginCommandBuffer)(commands, &begin),
                "vkBeginCommandBuffer",
            );
            record(commands);
            good((self.call.EndCommandBuffer)(commands), "vkEndCommandBuffer");
        }
        commands
    }

    /// Returns commands that fill a buffer.
    pub fn fill(&self, buffer: Number, bytes: u64, value: u32) -> Object {
        self.commands(|commands| {
            // SAFETY: the buffer is live and has that number of bytes.
            unsafe { (self.call.CmdFillBuffer)(commands, buffer, 0, bytes, value) }
        })
    }

    /// Returns commands that make a new image usable by all. Its texels are unspecified.
    pub fn begin_image(&self, image: &Image) -> Object {
        let barrier = Barrier {
            head: Head::new(45),
            from_access: 0,
            to_access: READ_WRITE,
            from_layout: 0,
            to_layout: GENERAL,
            from_family: u32::MAX,
            to_family: u32::MAX,
            image: image.image,
            range: range(0, image.levels),
        };
        self.commands(|commands| {
            // SAFETY: the image is live and has these levels.
            unsafe {
                (self.call.CmdPipelineBarrier)(
                    commands,
                    ALL_COMMANDS,
                    ALL_COMMANDS,
                    0,
                    0,
                    null(),
                    0,
                    null(),
                    1,
                    &barrier,
                );
            }
        })
    }

    /// Returns commands that set all texels of a level to a value.
    pub fn clear(&self, image: &Image, level: u32, value: u32) -> Object {
        self.commands(|commands| {
            let (value, level) = ([value, 0, 0, 0], range(level, 1));
            // SAFETY: the image is live and has this level.
            unsafe {
                (self.call.CmdClearColorImage)(commands, image.image, GENERAL, &value, 1, &level);
            }
        })
    }

    /// Returns the texels of a level after the queue has finished all work.
    pub fn read(&self, image: &Image, level: u32) -> Vec<u32> {
        const HOST_VISIBLE_AND_COHERENT: u32 = 2 | 4;
        let [width, height] = image.extent.map(|length| (length >> level).max(1));
        let count = (width * height) as usize;
        let (buffer, needed) = self.raw_buffer(4 * count as u64, false);
        let memory = self.memory(&needed, HOST_VISIBLE_AND_COHERENT, false, 0);
        let copy = ImageCopy {
            offset: 0,
            row: 0,
            height: 0,
            aspect: 1,
            level,
            layer: 0,
            layers: 1,
            at: [0; 3],
            extent: [width, height, 1],
        };
        let mut mapped = ptr::null_mut();
        // SAFETY: the buffer is live, and the memory meets its requirements and is readable by the
        // host.
        unsafe {
            good(
                (self.call.BindBufferMemory)(self.device, buffer, memory, 0),
                "vkBindBufferMemory",
            );
            good(
                (self.call.MapMemory)(self.device, memory, 0, needed.size, 0, &mut mapped),
                "vkMapMemory",
            );
        }
        let commands = self.commands(|commands| {
            // SAFETY: the image is live and has this level, and the buffer has the level's size.
            unsafe {
                (self.call.CmdCopyImageToBuffer)(commands, image.image, GENERAL, buffer, 1, &copy);
            }
        });
        self.submit(None, Some(commands), None);
        self.wait();
        // SAFETY: the memory is mapped, has that length, and is no longer written.
        unsafe { std::slice::from_raw_parts(mapped.cast::<u32>(), count) }.to_vec()
    }
}

impl Functions {
    fn uuid(&self, device: Object) -> [u8; 16] {
        let mut identity = Identity {
            head: Head::new(1_000_071_004),
            device: [0; 16],
            driver: [0; 16],
            rest: [0; 4],
        };
        let mut properties = Properties {
            head: Head::new(1_000_059_001),
            rest: [0; 103],
        };
        properties.head.next = (&raw mut identity).cast_const().cast();
        // SAFETY: the device is live, and Vulkan writes the structures.
        unsafe { (self.GetPhysicalDeviceProperties2)(device, &mut properties) };
        identity.device
    }

    /// Creates a device with a queue of the first family.
    fn device(&self, physical: Object) -> Result<Object, String> {
        let queue = QueueInfo {
            head: Head::new(2),
            flags: 0,
            family: 0,
            count: 1,
            priorities: &1.0,
        };
        let timeline = TimelineFeature {
            head: Head::new(1_000_207_000),
            timeline: 1,
        };
        let extensions = [
            c"VK_KHR_external_memory_fd".as_ptr(),
            c"VK_KHR_external_semaphore_fd".as_ptr(),
        ];
        let info = DeviceInfo {
            head: Head::then(3, &timeline),
            flags: 0,
            queue_count: 1,
            queues: &queue,
            layer_count: 0,
            layers: null(),
            extension_count: 2,
            extensions: extensions.as_ptr(),
            features: null(),
        };
        let mut device = null_mut();
        // SAFETY: the device is live, and the structures outlive the call.
        match unsafe { (self.CreateDevice)(physical, &info, null(), &mut device) } {
            0 => Ok(device),
            result => Err(format!("vkCreateDevice: {result}")),
        }
    }
}

fn instance(find: Find) -> Result<Object, String> {
    type Create = unsafe extern "C" fn(*const InstanceInfo, *const c_void, *mut Object) -> i32;
    let application = Application {
        head: Head::new(0),
        name: null(),
        version: 0,
        engine: null(),
        engine_version: 0,
        api: VERSION,
    };
    let info = InstanceInfo {
        head: Head::new(1),
        flags: 0,
        application: &application,
        layer_count: 0,
        layers: null(),
        extension_count: 0,
        extensions: null(),
    };
    let mut instance = null_mut();
    // SAFETY: this is the only function that is found without an instance, and the structures
    // outlive the call.
    let result = unsafe {
        let create = function::<Create>(find(null_mut(), c"vkCreateInstance".as_ptr()));
        create.ok_or("no vkCreateInstance")?(&info, null(), &mut instance)
    };
    match result {
        0 => Ok(instance),
        _ => Err(format!("vkCreateInstance: {result}")),
    }
}

fn range(first_level: u32, levels: u32) -> LevelRange {
    LevelRange {
        aspect: 1,
        first_level,
        levels,
        first_layer: 0,
        layers: 1,
    }
}
