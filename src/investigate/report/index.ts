export { formatHtml } from './html.ts';
export { formatMarkdown } from './markdown.ts';
