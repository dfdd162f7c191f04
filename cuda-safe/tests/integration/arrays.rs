//! CUDA arrays: shapes, formats, copies, and arrays that are parts of other arrays.

use std::fmt::Debug;

use cuda_safe::{
    Context, DeviceAttribute, DeviceBuffer, ErrorKind, Stream,
    array::{
        ArrayFlags, ArrayShape, ChannelFormat, CudaArray, HalfBits, MipmappedArray, Texel,
        TexelFormat,
    },
};

use crate::{device, failure, rejection};

fn check_round_trip<T: Texel + Debug + PartialEq>(
    stream: &Stream,
    shape: ArrayShape,
    texel: impl Fn(usize) -> T,
) {
    let texels: Vec<T> = (0..shape.texels().unwrap()).map(texel).collect();
    let array = CudaArray::from_slice(stream, shape, &texels).unwrap();
    assert_eq!((array.shape(), array.format()), (shape, T::FORMAT));
    assert_eq!(array.to_vec::<T>(stream).unwrap(), texels);
    // The driver's description is the same.
    //
    // SAFETY: the array outlives the borrow.
    let borrowed = unsafe { CudaArray::borrow_raw(array.as_raw(), array.context()) }.unwrap();
    assert_eq!((borrowed.shape(), borrowed.format()), (shape, T::FORMAT));
    assert_eq!(borrowed, array);
}

#[test]
fn texels_of_every_type_round_trip() {
    let (_, stream) = device();
    let plane = ArrayShape::plane(5, 3);
    check_round_trip(&stream, plane, |i| i as u8);
    check_round_trip(&stream, plane, |i| [i as i8, -1]);
    check_round_trip(&stream, plane, |i| [i as u16, 1, 2, 3]);
    check_round_trip(&stream, plane, |i| -(i as i16));
    check_round_trip(&stream, plane, |i| [HalfBits(i as u16), HalfBits(0x3c00)]);
    check_round_trip(&stream, plane, |i| [i as u32, u32::MAX]);
    check_round_trip(&stream, plane, |i| [i as i32; 4]);
    check_round_trip(&stream, plane, |i| [i as f32, 0.5, -1.0, f32::MAX]);
}

#[test]
fn arrays_of_every_shape_are_filled_and_read() {
    let (_, stream) = device();
    for shape in [
        ArrayShape::line(7),
        ArrayShape::lines(7, 3),
        ArrayShape::plane(7, 5),
        ArrayShape::planes(7, 5, 2),
        ArrayShape::volume(7, 5, 4),
        ArrayShape::cube(4),
        ArrayShape::cubes(4, 2),
    ] {
        check_round_trip(&stream, shape, |i| i as f32);
    }
}

#[test]
fn device_memory_can_be_copied_to_and_from_arrays() {
    let (context, stream) = device();
    let other = Stream::new(&context).unwrap();
    let array = CudaArray::uninit::<u32>(&context, [6, 4]).unwrap();
    let numbers: Vec<u32> = (0..24).collect();
    let source = DeviceBuffer::from_slice(&stream, &numbers).unwrap();
    array.copy_from(&stream, &source).unwrap();
    let mut target = DeviceBuffer::<u32>::zeroed(&other, 24).unwrap();
    array.copy_to(&stream, &mut target).unwrap(); // ordered with the buffer's own stream
    assert_eq!(target.to_vec(&other).unwrap(), numbers);

    let copy = CudaArray::uninit::<u32>(&context, [6, 4]).unwrap();
    copy.copy_from_array(&stream, &array).unwrap();
    assert_eq!(copy.to_vec::<u32>(&stream).unwrap(), numbers);
    assert_eq!(copy.to_bytes(&stream).unwrap().len(), 96);
    assert_eq!(copy.size_bytes(), Some(96));
    assert!(!copy.is_part());

    let short = DeviceBuffer::<u32>::zeroed(&stream, 23).unwrap();
    rejection(array.copy_from(&stream, &short)).mentions("24 texels, but 23 were");
    let floats = DeviceBuffer::<f32>::zeroed(&stream, 24).unwrap();
    rejection(array.copy_from(&stream, &floats)).mentions("1 channel of F32");
    rejection(array.copy_from_array(&stream, &array)).mentions("the same array");
    let wider = CudaArray::uninit::<u32>(&context, [4, 6]).unwrap();
    rejection(array.copy_from_array(&stream, &wider)).mentions("4 x 6 texels");
}

#[test]
fn elements_must_match_the_texel_format() {
    let (context, stream) = device();
    let array = CudaArray::uninit::<[u8; 4]>(&context, [2, 2]).unwrap();
    for error in [
        rejection(array.copy_from_slice(&stream, &[0u32; 4])),
        rejection(array.copy_from_slice(&stream, &[0u8; 16])),
        rejection(array.to_vec::<[i8; 4]>(&stream)),
    ] {
        let error = error
            .mentions("4 channels of U8")
            .mentions("use elements of type `[u8; 4]`");
        assert!(!error.to_string().contains("were passed"), "{error}");
    }
    rejection(array.copy_from_slice(&stream, &[[0u8; 4]; 5])).mentions("4 texels, but 5 were");
    // Formats that kernels read as floating point are filled with their stored integers.
    let format = TexelFormat::new(ChannelFormat::UNORM8X4, 4);
    let array = CudaArray::new(&context, format, [2, 2], ArrayFlags::default()).unwrap();
    array
        .copy_from_slice(&stream, &[[1u8, 2, 3, 4]; 4])
        .unwrap();
    assert_eq!(array.to_vec::<[u8; 4]>(&stream).unwrap(), [[1, 2, 3, 4]; 4]);
}

#[test]
fn compressed_arrays_are_copied_as_bytes() {
    let (context, stream) = device();
    let format = TexelFormat::new(ChannelFormat::BC1_UNORM, 4);
    // Two rows of three blocks.
    let array = CudaArray::new(&context, format, [10, 8], ArrayFlags::default()).unwrap();
    assert_eq!(array.size_bytes(), Some(48));
    let blocks: Vec<u8> = (0..48).collect();
    array.copy_from_bytes(&stream, &blocks).unwrap();
    assert_eq!(array.to_bytes(&stream).unwrap(), blocks);
    rejection(array.copy_from_bytes(&stream, &blocks[1..])).mentions("48 bytes");
    let for_surfaces = CudaArray::new(&context, format, [8, 8], ArrayFlags::SURFACE);
    assert_eq!(*for_surfaces.unwrap_err().kind(), ErrorKind::Unsupported);
}

#[test]
fn array_creation_errors_give_the_reason() {
    let (context, _) = device();
    let device = context.device();
    let widest = device
        .attribute(DeviceAttribute::MAXIMUM_TEXTURE1D_WIDTH)
        .unwrap() as usize;
    assert!(CudaArray::uninit::<u8>(&context, widest).is_ok());
    let float = TexelFormat::of::<f32>();
    let none = ArrayFlags::default();
    for (format, shape, flags, why) in [
        (
            float,
            ArrayShape::line(widest + 1),
            none,
            "its width is at most",
        ),
        (
            float,
            ArrayShape::volume(4, 4, 4),
            ArrayFlags::GATHER,
            "GATHER",
        ),
        (
            TexelFormat::new(ChannelFormat::F32, 3),
            ArrayShape::line(4),
            none,
            "1, 2 or 4 channels, not 3",
        ),
        (
            TexelFormat::new(ChannelFormat(77), 1),
            ArrayShape::line(4),
            none,
            "it does not know ChannelFormat(77)",
        ),
        (
            float,
            ArrayShape::line(4),
            ArrayFlags(1 << 20) | ArrayFlags::SURFACE,
            "it does not know ArrayFlags(0x100000)",
        ),
    ] {
        let error = CudaArray::new(&context, format, shape, flags).unwrap_err();
        assert_eq!(error.driver_code().map(|code| code.0), Some(1), "{error}");
        let text = error.to_string();
        assert!(text.contains(&shape.to_string()), "{text}");
        assert!(text.contains(why), "{text}");
    }
    // Flags of a kind of shape, with shapes that do not fit that kind.
    for (shape, flags, why) in [
        (ArrayShape::plane(4, 3), 4, "must be square"),
        (ArrayShape::volume(4, 4, 5), 4, "six faces"),
        (ArrayShape::volume(4, 4, 8), 5, "six faces"),
        (ArrayShape::plane(4, 3), 1, "number of layers is 0"),
    ] {
        let made = CudaArray::new(&context, float, shape, ArrayFlags(flags));
        rejection(made).mentions(why);
    }
    failure(MipmappedArray::new(&context, float, widest + 1, 1, none)).mentions("texels");
    let error = CudaArray::uninit::<u8>(&context, widest + 1).unwrap_err();
    let limit = format!("its width is at most {widest} (");
    assert!(error.to_string().contains(&limit), "{error}");
    // The driver uses length 0 for missing dimensions.
    for (shape, what) in [
        (ArrayShape::line(0), "the width is 0"),
        (ArrayShape::plane(0, 2), "the width is 0"),
        (ArrayShape::lines(4, 0), "the number of layers is 0"),
        (ArrayShape::planes(4, 2, 0), "the number of layers is 0"),
        (ArrayShape::cube(0), "the width is 0"),
        (ArrayShape::cubes(4, 0), "the number of cubes is 0"),
        (ArrayShape::plane(40, 0), "the height is 0"),
        (ArrayShape::planes(40, 0, 2), "the height is 0"),
        (ArrayShape::volume(40, 0, 2), "the height is 0"),
        (ArrayShape::volume(40, 2, 0), "the depth is 0"),
    ] {
        rejection(CudaArray::uninit::<u8>(&context, shape)).mentions(what);
        let levels = MipmappedArray::new(&context, float, shape, 1, none);
        rejection(levels).mentions(what);
    }
}

/// `CUDA_ARRAY3D_LAYERED` and `CUDA_ARRAY3D_CUBEMAP` select a kind of shape.
#[test]
fn layered_and_cubemap_flags_become_part_of_the_shape() {
    let (context, stream) = device();
    let (layered, cube) = (ArrayFlags(1), ArrayFlags(4));
    let format = TexelFormat::of::<u16>();
    for (given, flags, made) in [
        (
            ArrayShape::volume(4, 4, 6),
            layered,
            ArrayShape::planes(4, 4, 6),
        ),
        (ArrayShape::volume(4, 4, 6), cube, ArrayShape::cube(4)),
        (ArrayShape::cube(4), layered, ArrayShape::cubes(4, 1)),
        (
            ArrayShape::planes(4, 4, 6),
            layered,
            ArrayShape::planes(4, 4, 6),
        ),
    ] {
        let flags = flags | ArrayFlags::SURFACE;
        let array = CudaArray::new(&context, format, given, flags).unwrap();
        assert_eq!((array.shape(), array.flags()), (made, ArrayFlags::SURFACE));
        let texels: Vec<u16> = (0..96).collect();
        array.copy_from_slice(&stream, &texels).unwrap();
        assert_eq!(array.to_vec::<u16>(&stream).unwrap(), texels);
        // The driver describes it in the same way.
        //
        // SAFETY: the array outlives the borrow.
        let borrowed = unsafe { CudaArray::borrow_raw(array.as_raw(), &context) }.unwrap();
        assert_eq!(
            (borrowed.shape(), borrowed.flags()),
            (made, ArrayFlags::SURFACE)
        );
        let levels = MipmappedArray::new(&context, format, given, 2, flags).unwrap();
        assert_eq!(
            (levels.shape(), levels.flags()),
            (made, ArrayFlags::SURFACE)
        );
        assert_eq!(levels.level(1).unwrap().shape(), made.level(1));
    }
    // The number of layers does not increase the number of levels. Only the width and the height
    // count.
    let layers = ArrayShape::volume(2, 2, 64);
    let made = MipmappedArray::new(&context, format, layers, 3, layered);
    rejection(made).mentions("1 to 2");
}

#[test]
fn mipmap_levels_are_arrays() {
    let (context, stream) = device();
    let format = TexelFormat::of::<u16>();
    let flags = ArrayFlags::SURFACE;
    let whole = MipmappedArray::new(&context, format, [8, 5], 4, flags).unwrap();
    assert_eq!((whole.levels(), whole.flags()), (4, flags));
    let shapes: Vec<_> = (0..4)
        .map(|level| {
            let level = whole.level(level).unwrap();
            let texels = level.shape().texels().unwrap();
            let numbers: Vec<u16> = (0..texels as u16).collect();
            level.copy_from_slice(&stream, &numbers).unwrap();
            assert_eq!(level.to_vec::<u16>(&stream).unwrap(), numbers);
            assert!(level.is_part() && level.flags() == flags);
            [level.shape().width(), level.shape().height()]
        })
        .collect();
    assert_eq!(shapes, [[8, 5], [4, 2], [2, 1], [1, 1]]);
    rejection(whole.level(4)).mentions("level 4 does not exist");

    // A level keeps the mipmapped array alive, and `into_raw` rejects it.
    let level = whole.level(1).unwrap();
    drop(whole);
    let level = level.into_raw().unwrap_err();
    assert_eq!(level.to_vec::<u16>(&stream).unwrap().len(), 8);

    for levels in [0, 5] {
        let made = MipmappedArray::new(&context, format, [8, 5], levels, flags);
        rejection(made).mentions("1 to 4");
    }
    let layers = ArrayShape::planes(8, 8, 3);
    let whole = MipmappedArray::new(&context, format, layers, 2, flags).unwrap();
    assert_eq!(whole.level(1).unwrap().shape(), ArrayShape::planes(4, 4, 3));
}

#[test]
fn mipmapped_arrays_convert_to_and_from_raw_handles() {
    let (context, _) = device();
    let format = TexelFormat::of::<f32>();
    let whole = MipmappedArray::new(&context, format, 16, 3, ArrayFlags::default()).unwrap();
    let held = whole.clone();
    let whole = whole.into_raw().unwrap_err(); // shared
    drop(held);
    let raw = whole.into_raw().unwrap();
    // A line of 16 texels has at most five levels.
    for levels in [0, 6, u32::MAX] {
        // SAFETY: the number of levels is wrong, so the call fails and the handle stays valid.
        let made = unsafe { MipmappedArray::from_raw(raw, levels, &context) };
        rejection(made).mentions("1 to 5");
    }
    // SAFETY: `into_raw` gave up the handle.
    let whole = unsafe { MipmappedArray::from_raw(raw, 3, &context) }.unwrap();
    // SAFETY: the owner outlives the borrow.
    let borrowed = unsafe { MipmappedArray::borrow_raw(raw, 3, &context) }.unwrap();
    assert_eq!(borrowed, whole);
    assert_eq!(borrowed.shape(), ArrayShape::line(16));
    assert_eq!(borrowed.level(2).unwrap().shape(), ArrayShape::line(4));
    drop(borrowed);
    whole.close().unwrap();
}

#[test]
fn arrays_without_memory_return_requirements() {
    let (context, stream) = device();
    let supported = |attribute| context.device().attribute(attribute).unwrap() != 0;
    let make = |flags| CudaArray::new(&context, TexelFormat::of::<f32>(), [512, 256], flags);
    let deferred = make(ArrayFlags::DEFERRED_MAPPING);
    if supported(DeviceAttribute::DEFERRED_MAPPING_CUDA_ARRAY_SUPPORTED) {
        let deferred = deferred.unwrap();
        let needed = deferred.memory_requirements().unwrap();
        assert!(needed.size >= 512 * 256 * 4 && needed.alignment.is_power_of_two());
        let other = make(ArrayFlags::DEFERRED_MAPPING).unwrap();
        let plain = make(ArrayFlags::default()).unwrap();
        for error in [
            rejection(deferred.to_bytes(&stream)),
            rejection(deferred.texels::<f32>()),
            rejection(deferred.copy_from_array(&stream, &other)),
            rejection(deferred.copy_from_array(&stream, &plain)),
            rejection(plain.copy_from_array(&stream, &deferred)),
        ] {
            error.mentions("without memory");
        }
    } else {
        assert_eq!(*deferred.unwrap_err().kind(), ErrorKind::Unsupported);
    }
    let sparse = make(ArrayFlags::SPARSE);
    if supported(DeviceAttribute::SPARSE_CUDA_ARRAY_SUPPORTED) {
        let tiles = sparse.unwrap().sparse_properties().unwrap();
        assert!(tiles.tile.iter().all(|&length| length > 0), "{tiles:?}");
    } else {
        assert_eq!(*sparse.unwrap_err().kind(), ErrorKind::Unsupported);
    }
    // An array that already has memory needs none, and has no tiles or planes.
    let plain = make(ArrayFlags::default()).unwrap();
    assert!(plain.memory_requirements().is_err());
    assert!(plain.sparse_properties().is_err());
    assert!(
        plain
            .plane(0)
            .unwrap_err()
            .to_string()
            .contains("no plane 0")
    );
    let levels = TexelFormat::of::<f32>();
    let whole = MipmappedArray::new(&context, levels, 16, 2, ArrayFlags::default()).unwrap();
    assert!(whole.memory_requirements().is_err());
    assert!(whole.sparse_properties().is_err());
}

#[test]
fn video_planes_are_arrays() {
    let (context, stream) = device();
    // NV12: a luma plane, and a chroma plane of half the width and height.
    let format = TexelFormat::new(ChannelFormat(0xb0), 3);
    match CudaArray::new(&context, format, [64, 32], ArrayFlags::VIDEO) {
        Ok(video) => {
            let (bright, colours) = (video.plane(0).unwrap(), video.plane(1).unwrap());
            assert_eq!(bright.shape(), ArrayShape::plane(64, 32));
            assert_eq!(colours.shape(), ArrayShape::plane(32, 16));
            assert_eq!(colours.format(), TexelFormat::of::<[u8; 2]>());
            rejection(video.to_bytes(&stream)).mentions("is unknown");
            assert!(video.plane(2).is_err() && bright.is_part());
            drop(video);
            bright.copy_from_slice(&stream, &[7u8; 64 * 32]).unwrap();
            assert_eq!(bright.to_vec::<u8>(&stream).unwrap(), [7; 64 * 32]);
        }
        // The emulator, and drivers before CUDA 12.8.
        Err(error) => assert!(
            [ErrorKind::Unsupported, ErrorKind::Driver].contains(error.kind()),
            "{error}"
        ),
    }
}

#[test]
fn array_copies_reject_streams_of_another_context() {
    let (context, stream) = device();
    let array = CudaArray::from_slice(&stream, 4, &[1u8, 2, 3, 4]).unwrap();
    let created =
        Context::create(context.device(), cuda_safe::ContextFlags::AUTO).expect("a context");
    let foreign = Stream::new(&created).unwrap();
    rejection(array.to_vec::<u8>(&foreign)).mentions("different contexts");
    rejection(array.copy_from_slice(&foreign, &[0u8; 4])).mentions("different contexts");
    let buffer = DeviceBuffer::<u8>::zeroed(&foreign, 4).unwrap();
    rejection(array.copy_from(&foreign, &buffer)).mentions("different contexts");
}

#[test]
fn normalized_formats_hold_integers() {
    let (context, stream) = device();
    let make = |channel, channels| {
        let format = TexelFormat::new(channel, channels);
        CudaArray::new(&context, format, [2, 2], ArrayFlags::default()).unwrap()
    };
    /// Checks that an array of the format holds elements of type `T` and not floats.
    #[track_caller]
    fn holds<T: Texel + Debug + PartialEq>(
        stream: &Stream,
        array: &CudaArray,
        texel: T,
        name: &str,
    ) {
        array.copy_from_slice(stream, &[texel; 4]).unwrap();
        assert_eq!(array.to_vec::<T>(stream).unwrap(), [texel; 4]);
        rejection(array.to_vec::<[f32; 2]>(stream)).mentions(&format!("type `{name}`"));
    }
    holds(&stream, &make(ChannelFormat::UNORM8X1, 1), 7u8, "u8");
    holds(
        &stream,
        &make(ChannelFormat::UNORM8X2, 2),
        [7u8; 2],
        "[u8; 2]",
    );
    holds(&stream, &make(ChannelFormat::UNORM16X1, 1), 7u16, "u16");
    holds(
        &stream,
        &make(ChannelFormat::UNORM16X4, 4),
        [7u16; 4],
        "[u16; 4]",
    );
    holds(&stream, &make(ChannelFormat::SNORM8X1, 1), -7i8, "i8");
    holds(
        &stream,
        &make(ChannelFormat::SNORM8X4, 4),
        [-7i8; 4],
        "[i8; 4]",
    );
    holds(&stream, &make(ChannelFormat::SNORM16X1, 1), -7i16, "i16");
    holds(
        &stream,
        &make(ChannelFormat::SNORM16X2, 2),
        [-7i16; 2],
        "[i16; 2]",
    );
    for (array, name) in [
        (make(ChannelFormat::U16, 1), "u16"),
        (make(ChannelFormat::U32, 1), "u32"),
        (make(ChannelFormat::I8, 2), "[i8; 2]"),
        (make(ChannelFormat::I16, 1), "i16"),
        (make(ChannelFormat::I32, 4), "[i32; 4]"),
        (make(ChannelFormat::F16, 2), "[HalfBits; 2]"),
        (make(ChannelFormat::F32, 1), "f32"),
    ] {
        rejection(array.to_vec::<[f32; 2]>(&stream)).mentions(&format!("type `{name}`"));
    }
    // The integers have the size and signedness of the format.
    for array in [
        make(ChannelFormat::UNORM16X1, 1),
        make(ChannelFormat::UNORM8X1, 1),
        make(ChannelFormat::SNORM16X1, 1),
        make(ChannelFormat::SNORM8X1, 1),
    ] {
        let others = [
            array.to_vec::<u8>(&stream).is_ok(),
            array.to_vec::<i8>(&stream).is_ok(),
            array.to_vec::<u16>(&stream).is_ok(),
            array.to_vec::<i16>(&stream).is_ok(),
        ];
        assert_eq!(others.iter().filter(|&&held| held).count(), 1, "{array:?}");
    }
}

#[test]
fn array_errors_name_the_excessive_length() {
    let (context, _) = device();
    let of = |attribute| context.device().attribute(attribute).unwrap() as usize;
    let widest = of(DeviceAttribute::MAXIMUM_TEXTURE2D_WIDTH);
    let tallest = of(DeviceAttribute::MAXIMUM_TEXTURE2D_HEIGHT);
    let most = of(DeviceAttribute::MAXIMUM_TEXTURE1D_LAYERED_LAYERS);
    for (shape, why) in [
        (
            ArrayShape::plane(widest, tallest + 1),
            format!("its height is at most {tallest} ("),
        ),
        (
            ArrayShape::plane(widest + 1, tallest),
            format!("its width is at most {widest} ("),
        ),
        (
            ArrayShape::lines(4, most + 1),
            format!("its number of layers is at most {most} ("),
        ),
    ] {
        failure(CudaArray::uninit::<u8>(&context, shape)).detail_contains(&why);
    }
    // The number of channels is correct, so the error must not mention it.
    let one = TexelFormat::of::<f32>();
    let gather = ArrayShape::volume(4, 4, 4);
    let error = CudaArray::new(&context, one, gather, ArrayFlags::GATHER).unwrap_err();
    assert!(!error.detail().contains("1, 2 or 4 channels"), "{error}");
}

#[test]
fn shapes_without_layers_have_one_layer() {
    for (shape, layers, depth) in [
        (ArrayShape::line(4), 1, 1),
        (ArrayShape::plane(4, 3), 1, 1),
        (ArrayShape::volume(4, 3, 2), 1, 2),
        (ArrayShape::lines(4, 3), 3, 1),
        (ArrayShape::planes(4, 3, 2), 2, 1),
        (ArrayShape::cube(4), 6, 1),
        (ArrayShape::cubes(4, 2), 12, 1),
    ] {
        assert_eq!((shape.layers(), shape.depth()), (layers, depth), "{shape}");
    }
}
