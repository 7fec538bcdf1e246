import {
  fault,
  isJsonObject,
  type Json,
  parseStrictJson,
  sharedLimits,
} from '../../kernel/index.ts';
import { bounds, type ProcessBounds } from '../bounds/bounds.ts';
import { restart } from '../children/restart.ts';
import { checkNamed, holdName } from '../holds/hold.ts';
import {
  absolutePath,
  type Field,
  invalid,
  listOf,
  matching,
  nullOr,
  objectOf,
  text,
  unlessGiven,
  wholeNumber,
  yesOrNo,
} from './fields.ts';
import type { KeeperRequest, Method, Methods, RequestId, StartParams } from './protocol.ts';

/** Parameters as the keeper works with them: every field is there and was checked. */
export type OrderOf<Name extends Method> = Name extends 'start'
  ? StartOrder
  : Required<Methods[Name]['params']>;

type StartOrder = Required<Omit<StartParams, 'bounds'>> & { readonly bounds: ProcessBounds | null };

export type KeeperHandlers = {
  readonly [Name in Method]: (order: OrderOf<Name>) => Promise<Methods[Name]['result']>;
};

// The name stands between slashes in the mark, and in file names.
export const childName: Field<string> = matching(/^[A-Za-z0-9][A-Za-z0-9._:@-]{0,127}$/);
const leaseMs = nullOr(wholeNumber(1, sharedLimits.leaseMsMax));

const holdOrder = objectOf({
  name: holdName,
  leaseMs: wholeNumber(1, sharedLimits.leaseMsMax),
  notAfter: unlessGiven(null, nullOr(wholeNumber(0))),
  remove: unlessGiven([], listOf(absolutePath)),
  command: unlessGiven([], listOf(text)),
  again: unlessGiven(false, yesOrNo),
});

const orders: { readonly [Name in Method]: Field<OrderOf<Name>> } = {
  ping: objectOf({}),
  start: objectOf({
    name: childName,
    command,
    directory: absolutePath,
    environment,
    leaseMs,
    logFile: absolutePath,
    stopGraceMs: unlessGiven(
      sharedLimits.stopGraceMsMax,
      wholeNumber(0, sharedLimits.stopGraceMsMax),
    ),
    hold: unlessGiven(null, nullOr(holdName)),
    bounds: unlessGiven(null, nullOr(bounds)),
    restart: unlessGiven(null, nullOr(restart)),
  }),
  renew: objectOf({ name: childName, leaseMs }),
  stop: objectOf({ name: childName }),
  list: objectOf({ use: unlessGiven(false, yesOrNo) }),
  forget: objectOf({ name: childName }),
  hold: (value, path) => checkNamed(holdOrder(value, path), path),
  release: objectOf({ name: holdName }),
  holds: objectOf({}),
  shutdown: objectOf({ except: unlessGiven([], listOf(childName)) }),
};

const anyRequest = objectOf({
  id: requestId,
  method: text,
  params: unlessGiven<Json>({}, (value) => value as Json),
});

/** Read apart from the parameters, so that a refusal of these can already carry the id. */
export function readRequest(line: Uint8Array): KeeperRequest {
  return anyRequest(parseLine(line), 'the request');
}

export function perform(
  request: KeeperRequest,
  handlers: KeeperHandlers,
): Promise<Methods[Method]['result']> {
  const method = request.method as Method;
  if (!Object.hasOwn(orders, method)) throw invalid('method', 'is not known');
  const order = orders[method](request.params, 'params');
  return handlers[method](order as never);
}

const decoder = new TextDecoder('utf-8', { fatal: true });

function parseLine(line: Uint8Array): Json {
  try {
    return parseStrictJson(decoder.decode(line));
  } catch (error) {
    // Not in the words of the parser: these quote the text, and with it what may be secret.
    throw fault('KEEPER_REQUEST_INVALID', { reason: 'a message is not strict JSON' }, error);
  }
}

function requestId(value: Json | undefined, path: string): RequestId {
  if (Number.isSafeInteger(value)) return value as number;
  if (typeof value === 'string' && value.length <= 64) return value;
  throw invalid(path, 'must be a whole number or a string of at most 64 characters');
}

function command(value: Json | undefined, path: string): readonly string[] {
  const words = listOf(text)(value, path);
  if (!words[0]) throw invalid(path, 'must begin with a program');
  return words;
}

function environment(value: Json | undefined, path: string): Readonly<Record<string, string>> {
  if (!isJsonObject(value)) throw invalid(path, 'must be an object');
  for (const [variable, content] of Object.entries(value)) {
    if (!/^[^=\0]+$/.test(variable))
      throw invalid(path, 'has a name that is empty or holds = or NUL');
    text(content, `${path}.${variable}`);
  }
  return value as Readonly<Record<string, string>>;
}
