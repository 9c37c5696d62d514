//! Pictures of latency against load, as SVG. The background is white, so that they can be read on dark pages, too.

use std::fmt::Write;

const WIDTH: f64 = 760.0;
const HEIGHT: f64 = 440.0;
/// The area of the lines.
const LEFT: f64 = 84.0;
const RIGHT: f64 = WIDTH - 28.0;
const TOP: f64 = 84.0;
const BOTTOM: f64 = HEIGHT - 62.0;
pub(crate) struct Picture<'a> {
    pub(crate) title: &'a str,
    pub(crate) series: &'a [Series<'a>],
}

/// A host.
pub(crate) struct Series<'a> {
    pub(crate) label: &'a str,
    /// By rising load.
    pub(crate) points: Vec<Point>,
}

#[derive(Clone, Copy)]
pub(crate) struct Point {
    /// Operations each second that were sent.
    pub(crate) rate: f64,
    /// Milliseconds.
    pub(crate) p50: f64,
    /// Milliseconds.
    pub(crate) p99: f64,
}

/// The name of a percentile, the dashes of its line, and its latency.
type Percentile = (&'static str, &'static str, fn(&Point) -> f64);

const PERCENTILES: [Percentile; 2] = [("p50", "none", |point| point.p50), ("p99", "6 4", |point| point.p99)];

/// The range and the ticks of an axis.
struct Axis {
    from: f64,
    to: f64,
    ticks: Vec<f64>,
    logarithmic: bool,
}

impl Picture<'_> {
    pub(crate) fn svg(&self) -> String {
        let points = || self.series.iter().flat_map(|series| &series.points);
        let x = Axis::linear(points().map(|point| point.rate).fold(0.0, f64::max));
        let y = Axis::logarithmic(
            points().map(|point| point.p50.min(point.p99)).fold(f64::INFINITY, f64::min),
            points().map(|point| point.p50.max(point.p99)).fold(0.0, f64::max),
        );
        let mut svg = format!(
            "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {WIDTH} {HEIGHT}\" width=\"{WIDTH}\" height=\"{HEIGHT}\" \
             font-family=\"system-ui, sans-serif\" font-size=\"13\" fill=\"#1a1a1a\" role=\"img\">\n\
             <title>Latency against load: {title}</title>\n\
             <rect width=\"100%\" height=\"100%\" fill=\"#ffffff\"/>\n\
             <text x=\"{LEFT}\" y=\"28\" font-size=\"17\" font-weight=\"600\">Latency against load: {title}</text>\n",
            title = self.title
        );
        // A `String` takes everything.
        let _ = self.axes(&mut svg, &x, &y);
        let _ = self.lines(&mut svg, &x, &y);
        svg.push_str("</svg>\n");
        svg
    }

    fn axes(&self, svg: &mut String, x: &Axis, y: &Axis) -> std::fmt::Result {
        for tick in &y.ticks {
            let at = y.place(*tick, BOTTOM, TOP);
            writeln!(
                svg,
                "<line x1=\"{LEFT}\" x2=\"{RIGHT}\" y1=\"{at:.1}\" y2=\"{at:.1}\" stroke=\"#dddddd\"/>"
            )?;
            let (label_x, label_y) = (LEFT - 8.0, at + 4.5);
            writeln!(
                svg,
                "<text x=\"{label_x}\" y=\"{label_y:.1}\" text-anchor=\"end\">{}</text>",
                number(*tick)
            )?;
        }
        for tick in &x.ticks {
            let at = x.place(*tick, LEFT, RIGHT);
            writeln!(
                svg,
                "<line x1=\"{at:.1}\" x2=\"{at:.1}\" y1=\"{TOP}\" y2=\"{BOTTOM}\" stroke=\"#eeeeee\"/>"
            )?;
            let label_y = BOTTOM + 20.0;
            writeln!(
                svg,
                "<text x=\"{at:.1}\" y=\"{label_y}\" text-anchor=\"middle\">{}</text>",
                number(*tick)
            )?;
        }
        let (middle_x, below) = ((LEFT + RIGHT) / 2.0, BOTTOM + 46.0);
        let (middle_y, beside) = ((TOP + BOTTOM) / 2.0, 24.0);
        writeln!(
            svg,
            "<rect x=\"{LEFT}\" y=\"{TOP}\" width=\"{:.1}\" height=\"{:.1}\" fill=\"none\" stroke=\"#777777\"/>\n\
             <text x=\"{middle_x}\" y=\"{below}\" text-anchor=\"middle\">offered load, operations each second</text>\n\
             <text x=\"{beside}\" y=\"{middle_y}\" text-anchor=\"middle\" \
             transform=\"rotate(-90 {beside} {middle_y})\">latency, ms</text>",
            RIGHT - LEFT,
            BOTTOM - TOP,
        )
    }

    fn lines(&self, svg: &mut String, x: &Axis, y: &Axis) -> std::fmt::Result {
        // As many legends as lines, in one row of columns of equal width.
        let column = (RIGHT - LEFT) / (self.series.len() * 2).max(1) as f64;
        let mut legend_x = LEFT;
        for series in self.series {
            let colour = colour(series.label);
            for (name, dashes, latency) in PERCENTILES {
                let stroke = format!("stroke=\"{colour}\" stroke-width=\"2\" stroke-dasharray=\"{dashes}\"");
                let at =
                    |point: &Point| (x.place(point.rate, LEFT, RIGHT), y.place(latency(point), BOTTOM, TOP));
                let points = series.points.iter().map(at);
                let line: String = points.clone().map(|(x, y)| format!("{x:.1},{y:.1} ")).collect();
                writeln!(svg, "<polyline points=\"{}\" fill=\"none\" {stroke}/>", line.trim_end())?;
                for (x, y) in points {
                    writeln!(svg, "<circle cx=\"{x:.1}\" cy=\"{y:.1}\" r=\"3\" fill=\"{colour}\"/>")?;
                }
                let (end, text) = (legend_x + 26.0, legend_x + 32.0);
                writeln!(
                    svg,
                    "<line x1=\"{legend_x:.1}\" x2=\"{end:.1}\" y1=\"56\" y2=\"56\" {stroke}/>\n\
                     <text x=\"{text:.1}\" y=\"60.5\" font-size=\"12\">{}, {name}</text>",
                    series.label
                )?;
                legend_x += column;
            }
        }
        Ok(())
    }
}

/// The colour of a host, the same in each picture. They are dark enough on white, and differ in brightness, too.
fn colour(label: &str) -> &'static str {
    match label {
        "library" => "#0050b3",
        "by hand" => "#b34700",
        _ => "#7a1f7a",
    }
}

impl Axis {
    /// From 0 to a round number above `most`.
    fn linear(most: f64) -> Self {
        let most = if most > 0.0 && most.is_finite() { most } else { 1.0 };
        // Five ticks or more.
        let step = steps(most / 5.0).0;
        let count = (most / step).ceil();
        let ticks = (0..=count as u32).map(|tick| f64::from(tick) * step).collect();
        Self { from: 0.0, to: count * step, ticks, logarithmic: false }
    }

    /// Between round numbers around the two.
    fn logarithmic(least: f64, most: f64) -> Self {
        let least = if least > 0.0 && least.is_finite() { least } else { 0.1 };
        let from = steps(least).0;
        let most = most.max(from * 10.0);
        let (mut ticks, mut tick) = (vec![from], from);
        while tick < most && ticks.len() < 50 {
            tick = steps(tick * 1.5).1;
            ticks.push(tick);
        }
        Self { from, to: tick, ticks, logarithmic: true }
    }

    fn place(&self, value: f64, from: f64, to: f64) -> f64 {
        let part = match self.logarithmic {
            true => (value / self.from).ln() / (self.to / self.from).ln(),
            false => (value - self.from) / (self.to - self.from),
        };
        from + part.clamp(0.0, 1.0) * (to - from)
    }
}

/// The numbers 1, 2 or 5 times a power of ten that are next below and next above; both are the number itself if it is one.
fn steps(value: f64) -> (f64, f64) {
    let power = 10_f64.powf(value.log10().floor());
    let numbers = [1.0, 2.0, 5.0, 10.0].map(|digit| digit * power);
    // Multiples of powers of ten are not exact.
    let below = numbers.iter().rev().find(|number| **number <= value * 1.000_001);
    let above = numbers.iter().find(|number| **number >= value * 0.999_999);
    (below.copied().unwrap_or(power), above.copied().unwrap_or(power * 10.0))
}

/// A label of an axis.
fn number(value: f64) -> String {
    let digits = (1.0 - value.abs().max(1e-9).log10()).ceil().clamp(0.0, 3.0) as usize;
    let text = format!("{value:.digits$}");
    match text.split_once('.') {
        Some(_) => text.trim_end_matches('0').trim_end_matches('.').to_owned(),
        // A narrow space between thousands.
        None if value >= 10_000.0 => {
            format!("{:.0}\u{202f}{:03.0}", (value / 1000.0).floor(), value % 1000.0)
        }
        None => text,
    }
}

#[cfg(test)]
mod tests {
    use super::{Axis, Picture, Point, Series, number};

    #[test]
    fn ticks_are_round_numbers_around_the_values() {
        assert_eq!(Axis::linear(41_300.0).ticks, [0.0, 5e3, 1e4, 1.5e4, 2e4, 2.5e4, 3e4, 3.5e4, 4e4, 4.5e4]);
        let labels: Vec<_> = Axis::logarithmic(0.07, 3.0).ticks.into_iter().map(number).collect();
        assert_eq!(labels, ["0.05", "0.1", "0.2", "0.5", "1", "2", "5"]);
        assert_eq!(number(45_000.0), "45\u{202f}000");
    }

    #[test]
    fn every_point_is_inside_of_the_axes() {
        let points =
            vec![Point { rate: 10.0, p50: 0.2, p99: 1.0 }, Point { rate: 97.0, p50: 1.0, p99: 700.0 }];
        let svg = Picture { title: "t", series: &[Series { label: "library", points }] }.svg();
        assert_eq!(svg.matches("<circle").count(), 4);
        assert!(svg.contains("library, p50") && svg.contains("library, p99"));
        let axis = Axis::logarithmic(0.2, 700.0);
        assert_eq!((axis.from, axis.to), (0.2, 1000.0));
    }
}
