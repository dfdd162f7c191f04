use cuda_compute::{Array, Expr, eval};

fn main() {}

fn arrays_are_not_compared_here(x: &Array<f32>, y: &Array<f32>) -> bool {
    x == y
}

fn arrays_are_no_conditions(x: &Array<f32>) {
    if x.less(1.0) {}
}

fn values_are_on_the_device(x: &Array<f32>) -> f32 {
    x.sum()
}

fn elements_are_not_gone_through(x: &Array<f32>) {
    for _ in x {}
}

fn expressions_are_evaluated_first(x: &Expr<f32>) {
    let _ = x.as_device_ptr();
}

fn arrays_have_been_evaluated(x: &Array<f32>) {
    let _ = eval((x, x));
}
