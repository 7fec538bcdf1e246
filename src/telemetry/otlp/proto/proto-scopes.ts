import { attributeList, type MessageReader, type ResourceDraft } from '../drafts.ts';
import { ProtoReader, type ReadField } from './proto-reader.ts';
import { readAttribute } from './proto-values.ts';

/**
 * Reads the frame of a request, which is the same for all signals: resources, and scopes in them.
 * Calls `begin` at the start of a scope, then `readField` for each of its fields.
 */
export function readScopes(
  bytes: Buffer,
  to: MessageReader,
  readField: ReadField<undefined>,
  begin?: () => void,
): void {
  const readResourceField: ReadField<undefined> = (reader, tag) => {
    if (tag !== 0x12) return reader.skip(tag);
    begin?.();
    reader.message(undefined, readField);
  };
  new ProtoReader(bytes).fields(undefined, (reader, tag) => {
    if (tag !== 0x0a) return reader.skip(tag);
    const outer = reader.enter();
    to.resource(resourceAhead(reader));
    reader.fields(undefined, readResourceField);
    reader.leave(outer);
  });
}

/** Fields may come in any order, so the resource is read before the spans that it describes. */
function resourceAhead(reader: ProtoReader): ResourceDraft {
  const resource = attributeList();
  const start = reader.position;
  while (!reader.isDone) {
    const tag = reader.tag();
    if (tag === 0x0a) {
      reader.message(resource, readResourceAttribute);
      // There is one resource, nearly always first.
      break;
    }
    reader.skip(tag);
  }
  reader.position = start;
  return resource;
}

function readResourceAttribute(reader: ProtoReader, tag: number, resource: ResourceDraft): void {
  if (tag === 0x0a) readAttribute(reader, resource);
  else reader.skip(tag);
}
