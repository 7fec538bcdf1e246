import { parse, type Word } from 'unbash';
import { hookLimits } from '../limits.ts';

/** Whether the whole command is `surety exec -- …`, and nothing is expanded before that starts. */
export function isConfined(text: string): boolean {
  if (text.length > hookLimits.commandCharsMax || text.includes('\0')) return false;
  const { commands, errors } = parse(text);
  const [only, ...more] = commands;
  if (errors?.length || more.length > 0 || only?.background || only?.command.type !== 'Command')
    return false;
  const { name, args, prefix, redirects } = only.command;
  const words = [name, ...args];
  const isLiteral = words.every((word) => word?.type === 'Word' && isLiteralWord(word));
  const [program, verb, end] = words.map((word) => (word?.type === 'Word' ? word.value : ''));
  const isExec = program === 'surety' && verb === 'exec' && end === '--';
  return isExec && isLiteral && prefix.length === 0 && redirects.length === 0;
}

function isLiteralWord({ parts = [] }: Word): boolean {
  return parts.every((part) => /^(?:Literal|SingleQuoted)$/.test(part.type));
}
