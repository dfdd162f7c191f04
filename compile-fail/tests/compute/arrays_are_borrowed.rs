use cuda_compute::{Array, Expr, Result, s};

fn main() {}

fn a_part_is_written_by_one(x: &mut Array<f32>) -> Result<()> {
    let first = x.slice_mut(s![..5])?;
    let second = x.slice_mut(s![5..])?;
    first.fill(1.0)?;
    second.fill(2.0)
}

fn an_array_is_not_read_while_a_part_is_written(x: &mut Array<f32>) -> Result<()> {
    let part = x.slice_mut(s![..5])?;
    let sum = x.sum();
    part.assign(sum)
}

fn a_part_is_written_once(x: &mut Array<f32>) -> Result<()> {
    let part = x.slice_mut(s![..5])?;
    part.fill(1.0)?;
    part.fill(2.0)
}

fn shared_arrays_are_not_written(x: &Array<f32>) -> Result<()> {
    x.fill(1.0)
}

fn parts_of_temporaries_are_not_kept(x: &Array<f32>) -> Result<()> {
    let part = x.clone().slice_mut(s![..5])?;
    part.fill(1.0)
}

fn expressions_are_not_copied(x: Expr<f32>) -> (Expr<f32>, Expr<f32>) {
    let twice = x * 2.0;
    (x + 1.0, twice)
}

fn arrays_are_not_copied(x: Array<f32>) -> Expr<f32> {
    let y = x + 1.0;
    y * x
}
