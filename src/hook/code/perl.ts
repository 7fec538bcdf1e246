import type { CodeJudge } from './code-port.ts';

const part = String.raw`(?:[^/\\\n]|\\[^\n])*`;
const statements: readonly RegExp[] = [
  new RegExp(`^s/${part}/${part}/[gimsx]*(?: (?:if|unless) /${part}/i?)?$`),
  new RegExp(`^(?:tr|y)/${part}/${part}/[cdsr]*$`),
  new RegExp(`^(?:print|next|last)(?: (?:if|unless) /${part}/i?)?$`),
  /^(?:print|next|last) (?:if|unless) (?:\$\. *(?:==|<=?|>=?|%) *\d+|\d+ *\.\. *\d+)$/,
];

/** One-liners that replace or select lines. Perl runs code inside of patterns and strings. */
export const isHarmlessPerl: CodeJudge = (code) => {
  if (/\(\?\??\{|\(\*|[@$]\{|[@$]\(|`|@[A-Za-z_\\[]/.test(code)) return false;
  return code
    .trim()
    .replace(/;$/, '')
    .split(/;\s*/)
    .every((statement) => statements.some((shape) => shape.test(statement.trim())));
};
