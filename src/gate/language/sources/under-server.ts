import { isJsonObject, type Json, type JsonObject } from '../../../kernel/index.ts';

/**
 * A document about the tools of one server, for a gateway that has several: each tool gets the name
 * of the server as its prefix, wherever the document names it.
 */
export function underServer(document: JsonObject, server: string): JsonObject {
  const { tools, roles } = document;
  const names = Object.keys(isJsonObject(tools ?? null) ? (tools as JsonObject) : {});
  const outside = (name: string): string => `${server}.${name}`;
  const renamed = (value: Json): Json => {
    if (typeof value === 'string') return names.reduce(quotedName, value);
    if (Array.isArray(value)) return value.map(renamed);
    if (!isJsonObject(value)) return value;
    const members = Object.entries(value).map(([key, member]) => [key, ofMember(key, member)]);
    return Object.fromEntries(members);
  };
  const quotedName = (text: string, name: string): string =>
    text.replaceAll(JSON.stringify(name), JSON.stringify(outside(name)));
  const ofMember = (key: string, member: Json): Json => {
    const isName = (key === 'tool' || key === 'read') && typeof member === 'string';
    return isName && names.includes(member) ? outside(member) : renamed(member);
  };
  return {
    ...document,
    ...(tools ? { tools: mapKeys(renamed(tools) as JsonObject, outside) } : {}),
    ...(roles ? { roles: mapValues(roles as JsonObject, (role) => ofRole(role, outside)) } : {}),
  };
}

function ofRole(role: Json, outside: (name: string) => string): Json {
  if (!isJsonObject(role)) return role;
  const { tools, constraints } = role;
  return {
    ...role,
    ...(Array.isArray(tools) ? { tools: tools.map((tool) => outside(String(tool))) } : {}),
    ...(isJsonObject(constraints ?? null)
      ? { constraints: mapKeys(constraints as JsonObject, outside) }
      : {}),
  };
}

function mapKeys(from: JsonObject, to: (key: string) => string): JsonObject {
  return Object.fromEntries(Object.entries(from).map(([key, value]) => [to(key), value]));
}

function mapValues(from: JsonObject, to: (value: Json) => Json): JsonObject {
  return Object.fromEntries(Object.entries(from).map(([key, value]) => [key, to(value)]));
}
