import type { Redirect } from 'unbash';
import { type ExpandedWord, unknown } from './field.ts';
import type { Scope } from './scope.ts';
import type { Shell } from './shell.ts';

const harmless = /^\/dev\/(?:null|stdout|stderr|stdin|tty|zero|full|random|urandom|fd\/\d+)$/;

/** What a redirection opens. Returns the text on standard input. */
export function applyRedirect(
  shell: Shell,
  { operator, target, descriptor }: Redirect,
  scope: Scope,
  { input, outputs }: { input: ExpandedWord | undefined; outputs: string[] },
): ExpandedWord | undefined {
  if (!target) {
    shell.unresolved('a redirection has no target');
    return input;
  }
  const to = shell.single(target, scope);
  const isCopy = operator === '<&' || operator === '>&';
  if (isCopy && to.kind === 'exact' && /^(?:\d+-?|-)$/.test(to.text)) return input;
  const number = descriptor?.type === 'FileDescriptor' ? descriptor.value : undefined;
  const port = shell.port(scope);
  const socket = to.kind === 'exact' ? /^\/dev\/(?:tcp|udp)\/([^/]+)\//.exec(to.text) : null;
  if (socket) {
    port.connects(socket[1] as string);
    return unknown();
  }
  if (operator === '<') {
    port.reads(to);
    return number === undefined || number === 0 ? port.contentOf(to) : input;
  }
  if (to.kind === 'exact' && harmless.test(to.text)) return input;
  port.writes(to);
  if (operator === '<>') port.reads(to);
  const [path] = port.paths(to) ?? [];
  const isOutput = number === undefined || number === 1;
  // What is appended to a file does not tell what the file contains.
  if (path !== undefined && isOutput) {
    if (operator === '>>' || operator === '&>>') shell.written.set(path, unknown());
    else outputs.push(path);
  }
  return operator === '<>' && number === undefined ? unknown() : input;
}
