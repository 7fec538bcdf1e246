/** A route as the code of a service registers it. */
export interface DeclaredRoute {
  readonly method: string;
  /** Parameters in braces, whatever the framework writes: `/orders/{id}`. */
  readonly path: string;
}

/** What one file says about routes. */
export interface DeclaredRoutes {
  readonly routes: readonly DeclaredRoute[];
  /** Paths below which other files register theirs: `app.use('/orders', router)`. */
  readonly mounts: readonly string[];
  /** Names of query parameters that it reads. */
  readonly queries: readonly string[];
}

const methods = 'get|head|post|put|patch|delete';
/** A quoted path, in Go also with its method: `"GET /orders/{id}"`. */
const literal =
  /(["'`])((?:(?:GET|HEAD|POST|PUT|PATCH|DELETE) )?\/[\w\-./:{}<>*$()\\+?[\]^|]{0,99})\1/g;

/** `app.get(`, `@router.post(`, `r.GET(`, `MapGet(`, `@GetMapping(value = `; in Ruby `get `. */
const calledBefore = new RegExp(
  `(?:[.@]|\\bMap|^\\s*)(${methods})(?:Mapping)?(?:<[^>]*>)?(?:\\(\\s*(?:(?:value|path)\\s*=\\s*)?|\\s+)$`,
  'i',
);
/** `.route('/x').get(`, axum's `.route("/x", get(`. */
const calledAfter = new RegExp(`^\\s*(?:\\)\\s*\\.|,\\s*(?:[\\w:]+::)?)((?:${methods})\\()`, 'i');
/** `route("/x"`, `HandleFunc("/x"`, `path: '/x'`, `url === '/x'`, `case '/x'`. */
const namedBefore =
  /(?:\b(?:route|HandleFunc|Handle|RequestMapping|add_url_rule|add_route)\s*\(\s*(?:(?:value|path)\s*=\s*)?|\b(?:path|url|uri|route|pathname|pattern)["']?\s*(?::|={1,3})\s*|\bcase\s+)$/i;
/** `method: 'POST'`, `methods=["GET", "POST"]`, `.Methods("POST")`, `RequestMethod.POST`. */
const methodNamed = new RegExp(
  `\\b(?:methods?|Methods)["']?\\s*(?:[:=(]|={2,3})[\\s[({]*(?:RequestMethod\\.)?["'\`]?(${methods})\\b`,
  'i',
);
const mountedBefore =
  /(?:\.(?:use|mount|register|group)\s*\(\s*|\b(?:url_)?prefix["']?\s*[:=]\s*|@(?:Controller|RequestMapping)\s*\(\s*)$/i;

/** The line itself, then those around it: in a table of routes, the method is above or below. */
const linesNear = [0, -1, 1, -2, 2];
const routesMax = 200;

/** Pure, by regular expressions: what looks like a registration in any of the usual frameworks. */
export function routesDeclaredIn(code: string): DeclaredRoutes {
  const lines = code.split('\n').map((line) => (line.length > lineCharsMax ? '' : line));
  const routes = new Map<string, DeclaredRoute>();
  const mounts = new Set<string>();
  for (const [at, line] of lines.entries()) {
    for (const match of line.matchAll(literal)) {
      const before = line.slice(0, match.index);
      const text = match[2] ?? '';
      if (mountedBefore.test(before)) mounts.add(plainPath(text));
      const near = linesNear.map((offset) => lines[at + offset] ?? '');
      const place = { before, after: line.slice(match.index + match[0].length), near, text };
      const method = methodOf(place);
      const path = plainPath(text.replace(/^[A-Z]+ /, ''));
      if (method !== null && routes.size < routesMax) {
        routes.set(`${method} ${path}`, { method, path });
      }
    }
  }
  return { routes: [...routes.values()], mounts: [...mounts], queries: queriesIn(code) };
}

const lineCharsMax = 500;

interface LiteralPlace {
  readonly before: string;
  readonly after: string;
  /** The line, and those around it, the nearest first. */
  readonly near: readonly string[];
  readonly text: string;
}

/** Null if nothing says that it is a route. */
function methodOf({ before, after, near, text }: LiteralPlace): string | null {
  const own = /^([A-Z]+) /.exec(text)?.[1];
  const called = calledBefore.exec(before)?.[1] ?? calledAfter.exec(after)?.[1];
  const given = own ?? called?.replace('(', '') ?? null;
  if (given !== null) return given.toUpperCase();
  if (!namedBefore.test(before)) return null;
  const named = near.map((line) => methodNamed.exec(line)?.[1]).find((one) => one !== undefined);
  return named?.toUpperCase() ?? 'GET';
}

/** `/orders/:id(\\d+)`, `/orders/<int:id>`, `/orders/{id:[0-9]+}`, `/orders/*` → `/orders/{id}`. */
function plainPath(text: string): string {
  const [path = ''] = text.split('?');
  const segments = path.split('/').map((segment) => {
    const name = /^(?::|[{<[$*]+(?:\w+:(?=\w+>))?)\.{0,3}(\w*)/.exec(segment)?.[1];
    return name === undefined ? segment : `{${name || 'id'}}`;
  });
  return segments.join('/');
}

const queryPatterns = [
  /(?:searchParams|query|args|GET|Query\(\)|query_params)\.(?:get|getAll|getlist|Get)\(\s*["'](\w{1,40})["']/g,
  /\b(?:req|request|ctx|c)\.query\.(\w{1,40})\b(?!\()/g,
  /\b(?:query|args|Query|DefaultQuery|RequestParam|query_params)[([]\s*["'](\w{1,40})["']/g,
];
const destructured = /\{([\w\s,:='"]{1,200})\}\s*=\s*(?:await\s+)?[\w.]*\bquery\b/g;
const queriesMax = 20;

function queriesIn(code: string): string[] {
  const called = queryPatterns.flatMap((one) => [...code.matchAll(one)].map(([, name]) => name));
  const members = [...code.matchAll(destructured)].flatMap(([, names = '']) =>
    names.split(',').map((name) => /^\s*(\w+)/.exec(name)?.[1]),
  );
  return [...new Set([...called, ...members])]
    .flatMap((name) => (name === undefined ? [] : [name]))
    .slice(0, queriesMax);
}
