//! Vulkan, as far as these tests use it: opened at run time, on the device that CUDA's device 0 is.

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

/// Functions of Vulkan, by their names without `vk`.
macro_rules! functions {
    ($($name:ident($($arg:ty),*) $(-> $result:ty)?;)*) => {
        #[allow(non_snake_case, reason = "Vulkan's names")]
        struct Functions {
            $($name: unsafe extern "C" fn($($arg),*) $(-> $result)?,)*
        }

        impl Functions {
            /// # Safety
            /// A live instance, of at least Vulkan 1.2.
            unsafe fn of(find: Find, instance: Object) -> Option<Self> {
                Some(Self {
                    $($name: {
                        let name = concat!("vk", stringify!($name), "\0");
                        // SAFETY: the name ends in NUL; what is found has the type that Vulkan says.
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
/// `F` is the type of the function at the address, if there is one.
unsafe fn function<F>(address: *const c_void) -> Option<F> {
    const { assert!(size_of::<F>() == size_of::<*const c_void>()) };
    // SAFETY: as this function's contract says; a function pointer is as long as an address.
    (!address.is_null()).then(|| unsafe { transmute_copy(&address) })
}

fn good(result: i32, call: &str) {
    assert_eq!(result, 0, "{call}");
}

/// A device of Vulkan with a queue. What is made stays to the end of the process.
pub struct Vulkan {
    call: Functions,
    physical: Object,
    device: Object,
    queue: Object,
    pool: Number,
    /// Vulkan's queues and pools are for one thread at a time.
    one: Mutex<()>,
}

// SAFETY: handles of Vulkan may be used from any thread; where one at a time may, a lock is held.
unsafe impl Send for Vulkan {}
// SAFETY: as above.
unsafe impl Sync for Vulkan {}

/// An image with smaller ones, of numbers of 32 bits.
pub struct Image {
    image: Number,
    pub extent: [u32; 2],
    pub levels: u32,
    pub bytes: u64,
    pub file: Option<OwnedFd>,
}

impl Vulkan {
    /// Vulkan on the device of that UUID.
    ///
    /// # Errors
    /// Why there is none.
    pub fn open(uuid: [u8; 16]) -> Result<Self, String> {
        // SAFETY: a library that is meant to be opened, and names that end in NUL.
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
        // SAFETY: a live instance.
        let call = unsafe { Functions::of(find, instance) }.ok_or("Vulkan 1.2 lacks functions")?;
        let mut devices = [null_mut(); 64];
        let mut count = 64;
        // SAFETY: a live instance, and places for so many devices.
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
        // SAFETY: a live device with a queue of family 0; places for the results.
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

    /// A semaphore, and its file: a timeline with that value, or a binary one.
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
        // SAFETY: a live device; structures that live through the call.
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
        // SAFETY: a live semaphore, made to be exported; the file is the caller's.
        unsafe {
            good(
                (self.call.GetSemaphoreFdKHR)(self.device, &info, &mut file),
                "vkGetSemaphoreFdKHR",
            );
            OwnedFd::from_raw_fd(file)
        }
    }

    /// A timeline's value.
    pub fn value(&self, semaphore: Number) -> u64 {
        let mut value = 0;
        // SAFETY: a live semaphore.
        let told =
            unsafe { (self.call.GetSemaphoreCounterValue)(self.device, semaphore, &mut value) };
        good(told, "vkGetSemaphoreCounterValue");
        value
    }

    /// The host signals a timeline.
    pub fn signal(&self, semaphore: Number, value: u64) {
        let info = SignalInfo {
            head: Head::new(1_000_207_005),
            semaphore,
            value,
        };
        // SAFETY: a live timeline.
        let signalled = unsafe { (self.call.SignalSemaphore)(self.device, &info) };
        good(signalled, "vkSignalSemaphore");
    }

    /// Has the queue wait for a binary semaphore, if one is given, do what it is told, and signal a semaphore: a timeline gets
    /// the value.
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
        // SAFETY: live semaphores and commands; one thread at a time.
        let submitted = unsafe { (self.call.QueueSubmit)(self.queue, 1, &submit, 0) };
        good(submitted, "vkQueueSubmit");
    }

    pub fn wait(&self) {
        let _one = self.one.lock().unwrap_or_else(PoisonError::into_inner);
        // SAFETY: a live queue; one thread at a time.
        good(
            unsafe { (self.call.QueueWaitIdle)(self.queue) },
            "vkQueueWaitIdle",
        );
    }

    /// Memory that has one of these types and all of the flags; to be exported or not.
    fn memory(&self, needed: &Requirements, flags: u32, export: bool, image: Number) -> Number {
        let mut all = MaybeUninit::<MemoryProperties>::zeroed();
        // SAFETY: a live device; numbers, which Vulkan writes.
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
            kind: kinds.find(fits).expect("memory of that type"),
        };
        let mut memory = 0;
        // SAFETY: a live device; structures that live through the call.
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
        // SAFETY: live memory, made to be exported; the file is the caller's.
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
        // SAFETY: a live device; structures that live through the calls; numbers, which Vulkan writes.
        unsafe {
            good(
                (self.call.CreateBuffer)(self.device, &info, null(), &mut buffer),
                "vkCreateBuffer",
            );
            (self.call.GetBufferMemoryRequirements)(self.device, buffer, needed.as_mut_ptr());
            (buffer, needed.assume_init())
        }
    }

    /// A buffer of that many bytes, its memory's size, and the memory's file.
    pub fn buffer(&self, bytes: u64) -> (Number, u64, OwnedFd) {
        const ON_DEVICE: u32 = 1;
        let (buffer, needed) = self.raw_buffer(bytes, true);
        let memory = self.memory(&needed, ON_DEVICE, true, 0);
        // SAFETY: a live buffer, and memory as it needs.
        let bound = unsafe { (self.call.BindBufferMemory)(self.device, buffer, memory, 0) };
        good(bound, "vkBindBufferMemory");
        (buffer, needed.size, self.export_memory(memory))
    }

    /// An image, in memory of its own.
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
        // SAFETY: a live device; structures that live through the calls; numbers, which Vulkan writes.
        let needed = unsafe {
            good(
                (self.call.CreateImage)(self.device, &info, null(), &mut image),
                "vkCreateImage",
            );
            (self.call.GetImageMemoryRequirements)(self.device, image, needed.as_mut_ptr());
            needed.assume_init()
        };
        let memory = self.memory(&needed, ON_DEVICE, true, image);
        // SAFETY: a live image, and memory as it needs.
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

    /// Commands that `record` gives.
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
        // SAFETY: a live pool; one thread at a time.
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

    /// Commands that fill a buffer.
    pub fn fill(&self, buffer: Number, bytes: u64, value: u32) -> Object {
        self.commands(|commands| {
            // SAFETY: a live buffer of that many bytes.
            unsafe { (self.call.CmdFillBuffer)(commands, buffer, 0, bytes, value) }
        })
    }

    /// Commands that make a new image one that all may use, its texels unspecified.
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
            // SAFETY: a live image with these levels.
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

    /// Commands that give all texels of a level a value.
    pub fn clear(&self, image: &Image, level: u32, value: u32) -> Object {
        self.commands(|commands| {
            let (value, level) = ([value, 0, 0, 0], range(level, 1));
            // SAFETY: a live image that has this level.
            unsafe {
                (self.call.CmdClearColorImage)(commands, image.image, GENERAL, &value, 1, &level);
            }
        })
    }

    /// The texels of a level, when the queue has done all it was given.
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
        // SAFETY: a live buffer, and memory as it needs, that the host can read.
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
            // SAFETY: a live image that has this level, and a buffer as long as it.
            unsafe {
                (self.call.CmdCopyImageToBuffer)(commands, image.image, GENERAL, buffer, 1, &copy);
            }
        });
        self.submit(None, Some(commands), None);
        self.wait();
        // SAFETY: mapped, that long, and written by nobody any more.
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
        // SAFETY: a live device; structures that Vulkan writes.
        unsafe { (self.GetPhysicalDeviceProperties2)(device, &mut properties) };
        identity.device
    }

    /// A device with a queue of the first family.
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
        // SAFETY: a live device; structures that live through the call.
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
    // SAFETY: the one function that is found without an instance; structures that live through the call.
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
