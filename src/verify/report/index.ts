export { formatCoverage } from '../line-coverage/format-coverage.ts';
export { formatCalibration } from './format-calibration.ts';
export { htmlReport } from './html.ts';
export { junitReport } from './junit.ts';
export { markdownReport } from './markdown.ts';
export { Markup, markup } from './markup.ts';
export { sarifReport } from './sarif.ts';
