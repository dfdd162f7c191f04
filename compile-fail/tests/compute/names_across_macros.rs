use cuda_compute::device_fn;

// Two variables have the same name: the macro's and the caller's.
macro_rules! five_more {
    ($x:ident) => {
        device_fn!(|$x: f32| {
            let x = 5.0;
            $x + x
        })
    };
}

fn main() {
    let _ = five_more!(y);
    let _ = five_more!(x);
}
