/** Programs that only start another one, as images have them. */
const wrappers =
  /^(?:exec|(?:\/\S*\/)?(?:tini|dumb-init|su-exec \S+|gosu \S+|docker-entrypoint\.sh)(?:\s+--)?|opentelemetry-instrument|ddtrace-run)\s+/;

/** Programs that restart another one whenever its files change; a version never changes. */
const watchers: readonly (readonly [RegExp, string])[] = [
  [/^(?:npx\s+)?nodemon\s+(?:-\S+\s+)*(?=\S+\.[cm]?js\b)/, 'node '],
  [/^(?:npx\s+)?nodemon\s+(?:-\S+\s+)*(?=\S+\.ts\b)/, 'tsx '],
  [/^(tsx|node)\s+(?:watch|--watch(?:-path=\S+)?)\s+/, '$1 '],
  [/\s--reload\b/, ''],
];

/** The program itself, without what images put around it. */
export function plainCommand(line: string): string {
  let plain = line.trim();
  for (let before = ''; before !== plain; ) {
    before = plain;
    plain = inShell(plain).replace(wrappers, '').trim();
  }
  return watchers.reduce((text, [pattern, put]) => text.replace(pattern, put), plain);
}

/** `sh -c 'the program'` is the program, since services are started by a shell anyway. */
function inShell(line: string): string {
  const [, quote, inner] =
    /^(?:\/bin\/)?(?:ba|da|a)?sh\s+-l?c\s+(["'])([\s\S]*)\1$/.exec(line) ?? [];
  if (inner === undefined) return line;
  return quote === "'" ? inner.replaceAll("'\\''", "'") : inner.replaceAll('\\"', '"');
}

const flag = String.raw`(?:--(?:server\.)?port|--http-port|-p|--listen|--bind|-b|--addr(?:ess)?|--urls)`;
const address = String.raw`(?:["']?(?:https?:\/\/)?[\w.*+[\]-]*:)?`;
const givenPort = new RegExp(String.raw`(\s${flag}[= ]${address})(\d{2,5})\b`);
const javaPort = /(-D(?:server|quarkus\.http|micronaut\.server)\.port=)(\d{2,5})\b/;

/** The port that a command line gives its program, and the line with `$PORT` in its place. */
export function portFlag(line: string): { readonly port?: number; readonly command: string } {
  const pattern = [givenPort, javaPort].find((one) => one.test(line));
  const found = pattern && Number(pattern.exec(line)?.[2]);
  if (!pattern || !found || found > 65_535) return { command: line };
  return { port: found, command: line.replace(pattern, '$1$PORT') };
}

/** `${PORT:-8080}` of a shell line, which names the port that the program usually has. */
export function standardPort(line: string): number | undefined {
  const found = /\$\{PORT:?-(\d{2,5})\}/.exec(line)?.[1];
  return found === undefined ? undefined : Number(found);
}

/**
 * Names of variables by which programs are told where to listen. `PORT` itself is not among them:
 * every service gets it anyway.
 */
const listenVariable =
  /^(?:(?:\w+_)?(?:HTTP_|SERVER_|LISTEN_|APP_|SERVICE_|GRPC_)?PORT|ASPNETCORE_(?:URLS|HTTP_PORTS)|\w*LISTEN(?:_ADDR(?:ESS)?)?|\w*BIND(?:_ADDR(?:ESS)?)?|(?:HTTP_|SERVER_)ADDR(?:ESS)?)$/;

/** Variables that repeat the port of the program become assignments of `$PORT` before it. */
export function portVariables(
  environment: Readonly<Record<string, string>>,
  port: number | undefined,
): { readonly assignments: readonly string[]; readonly names: readonly string[] } {
  const own = Object.entries(environment).filter(
    ([name, value]) =>
      name !== 'PORT' &&
      listenVariable.test(name) &&
      new RegExp(String.raw`^(?:(?:https?:\/\/)?[\w.*+[\]-]*:)?${port}$`).test(value),
  );
  return {
    names: own.map(([name]) => name),
    assignments: own.map(([name, value]) => `${name}=${value.replace(String(port), '$PORT')}`),
  };
}
