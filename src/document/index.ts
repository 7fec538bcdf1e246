export { DocumentText, type Filling, type Path, type Problem } from './document-text.ts';
export { type EditedLine, editText } from './edit-text.ts';
export { type EnvironmentVariables, fillText } from './environment.ts';
export { readForeignText } from './foreign-text.ts';
export { type Mistake, showMistake } from './mistake.ts';
export { readText } from './read-text.ts';
export { type Remark, writeText } from './write-text.ts';
