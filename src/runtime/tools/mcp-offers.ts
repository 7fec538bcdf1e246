import type { ToolOffer } from '../../gate/index.ts';
import { isJsonObject, type Json, type JsonObject } from '../../kernel/index.ts';
import { readContent, type StoreReader } from '../../ledger/index.ts';
import { nameOutside } from '../../mcp/gateway/names.ts';
import { type PinRow, pinPrefix } from './mcp-pins.ts';

/** The tools of the servers in surety.yaml, by their accepted definitions. */
export async function readOffers(
  source: StoreReader,
  servers: readonly string[],
): Promise<ToolOffer[]> {
  const offers: ToolOffer[] = [];
  for await (const rows of source.scanRows(pinPrefix)) {
    for (const { value } of rows) {
      const { server, tool, acceptedSeq } = JSON.parse(value) as PinRow;
      if (!servers.includes(server)) continue;
      const contents = (await source.contents(acceptedSeq)).map(readContent);
      const definition = contents.find(({ name }) => name === 'definition')?.value ?? null;
      if (!isJsonObject(definition)) continue;
      const name = nameOutside(server, tool, servers.length === 1);
      offers.push({ tool: name, provider: server, ...offerOf(definition) });
    }
  }
  return offers;
}

function offerOf({ inputSchema, annotations }: JsonObject): Pick<ToolOffer, 'schema' | 'hints'> {
  const hints = isJsonObject(annotations ?? null) ? (annotations as JsonObject) : {};
  return {
    schema: isJsonObject(inputSchema ?? null) ? (inputSchema as JsonObject) : {},
    hints: {
      ...hint('readOnly', hints.readOnlyHint),
      ...hint('destructive', hints.destructiveHint),
      ...hint('idempotent', hints.idempotentHint),
    },
  };
}

function hint(name: keyof ToolOffer['hints'], value: Json | undefined): ToolOffer['hints'] {
  return typeof value === 'boolean' ? { [name]: value } : {};
}
