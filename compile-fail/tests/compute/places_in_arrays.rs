use cuda_compute::{Array, s};

fn main() {}

fn places_are_whole(x: &Array<f32>) {
    let _ = x.slice(s![1.5]);
}

fn places_are_not_text(x: &Array<f32>) {
    let _ = x.slice(s!["first"]);
}

fn arrays_of_places_are_taken(x: &Array<f32>, places: &Array<i32>) {
    let _ = x.slice(s![places]);
}

fn arrays_are_not_indexed(x: &Array<f32>) -> f32 {
    x[0]
}

fn axes_are_whole(x: &Array<f32>) {
    let _ = x.sum_axis(1.0);
}

fn scans_have_one_axis(x: &Array<f32>) {
    let _ = x.cumsum([0, 1]);
}

fn shapes_are_whole(x: &Array<f32>) {
    let _ = x.reshape([2.0, 3.0]);
}
