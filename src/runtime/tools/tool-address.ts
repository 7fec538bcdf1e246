import type { ToolCall } from '../../gate/index.ts';
import { fault, type Json } from '../../kernel/index.ts';

interface ToolAddress {
  readonly url: string;
  /** The arguments that are not in the address. */
  readonly rest: Record<string, Json>;
}

/**
 * `{name}` in the address is an argument. Whatever an agent writes into it, the request goes to the
 * endpoint that the contract names: an argument cannot add, remove or change path segments.
 */
export function addressOf({ contract, arguments: given }: ToolCall, template: string): ToolAddress {
  const rest: Record<string, Json> = { ...given };
  const pathEnd = template.search(/[?#]|$/);
  const filled = new Map<string, string>();
  const url = template.replace(placeholder, (whole, name: string, offset: number) => {
    const isPath = offset < pathEnd;
    if (!Object.hasOwn(given, name)) return isPath ? refuse('is missing', name) : whole;
    const text = String(given[name]);
    if (isPath && isTurning(text)) refuse(`is ${JSON.stringify(text)}`, name);
    delete rest[name];
    filled.set(name, encodeURIComponent(text));
    return encodeURIComponent(text);
  });
  if (!isSamePlace(template, url, filled)) refuse('leads elsewhere', [...filled.keys()].join(', '));
  return { url, rest };

  function refuse(why: string, name: string): never {
    const reason = `nothing was sent, because the argument ${name} of its path ${why}`;
    throw fault('TOOL_FAILED', { tool: contract.tool, reason }).with({ code: 'PATH_ARGUMENT' });
  }
}

const placeholder = /\{(\w+)\}/g;

/** Servers also decode `a%2F..`, and some of them decode twice. */
function isTurning(text: string): boolean {
  return text === '' || text.split(/[/\\]|%2f|%5c/i).some((part) => dots.test(part));
}

const dots = /^(?:\.|%2e){1,2}$/i;

/** The path after URL parsing counts: `%2{name}` is a dot if the argument is `e`. */
function isSamePlace(template: string, url: string, filled: ReadonlyMap<string, string>): boolean {
  const wanted = new URL(template);
  const built = new URL(url);
  const path = wanted.pathname.replace(/%7B(\w+)%7D/g, (whole, name) => filled.get(name) ?? whole);
  return built.pathname === path && built.origin === wanted.origin;
}
