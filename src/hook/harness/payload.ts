import { fault, type JsonObject } from '../../kernel/index.ts';
import { hookLimits } from '../limits.ts';

/** The JSON that a harness writes to its hook. */
export function readPayload(bytes: Uint8Array): JsonObject {
  if (bytes.length > hookLimits.payloadBytesMax)
    throw unusable(`it has more than ${hookLimits.payloadBytesMax} bytes`);
  let text: string;
  try {
    text = new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    throw unusable('it is not UTF-8');
  }
  try {
    return asObject(JSON.parse(text), 'it');
  } catch (error) {
    if (error instanceof SyntaxError) throw unusable('it is not JSON');
    throw error;
  }
}

export function asObject(value: unknown, what: string): JsonObject {
  if (typeof value === 'object' && value !== null && !Array.isArray(value))
    return value as JsonObject;
  throw unusable(`${what} is no object`);
}

export function textIn(payload: JsonObject, name: string): string {
  const value = payload[name];
  if (typeof value === 'string') return value;
  throw unusable(`${name} is no text`);
}

/** The first of these members that is a text. */
export function optionalText(payload: JsonObject, ...names: readonly string[]): string | undefined {
  return names.map((name) => payload[name]).find((value) => typeof value === 'string');
}

/** A command that a shell can take. Another one cannot be judged, and could not run either. */
export function readCommand(input: JsonObject): string {
  const command = textIn(input, 'command');
  if (command.includes('\0')) throw unusable('the command contains a NUL');
  if (!command.isWellFormed()) throw unusable('the command is no valid Unicode');
  const bytes = Buffer.byteLength(command);
  const { commandBytesMax } = hookLimits;
  if (bytes <= commandBytesMax) return command;
  throw unusable(`the command has ${bytes} bytes; at most ${commandBytesMax} are taken`);
}

export function unusable(reason: string) {
  return fault('HOOK_INPUT_INVALID', { reason });
}
