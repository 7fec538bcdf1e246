import { expect, test } from 'vitest';
import { CodeGraph } from './code-graph.ts';

const characters = 500_000;

const repeat = (text: string): string => text.repeat(characters / text.length);

/** Texts for which a careless pattern looks at the rest of the file once for every character. */
const hostile: readonly (readonly [path: string, text: string])[] = [
  ['lines.py', repeat('\n')],
  ['dots.py', `from ${repeat('.')}`],
  ['blanks.py', `from ${repeat(' ')}`],
  ['parentheses.py', repeat('from a import (\n')],
  ['lines.proto', repeat('\n')],
  ['blanks.go', `import ${repeat(' ')}`],
  ['parentheses.go', repeat('import (\n')],
  ['lines/Cargo.toml', repeat('\n')],
  ['sections/Cargo.toml', repeat('[package]\nname\n')],
  ['lines/Dockerfile', repeat('\n')],
  ['blanks/Dockerfile', `COPY ${repeat(' ')}--from=a b`],
  ['App.csproj', `<Compile Include="${repeat('a')}" />`],
  ['pom.xml', repeat('<parent>')],
  ['package.json', repeat('/*')],
  ['tsconfig.json', `"${repeat('\\"')}\\`],
  ['joined.ts', `join(__dirname, ${repeat("'a' ")}`],
  ['imports.ts', repeat("from'")],
];

// Takes minutes, and so runs into the time limit, if a pattern takes more than linear time.
test.each(hostile)('reads %s', async (path, text) => {
  const graph = await CodeGraph.open({
    paths: new Map([[path, path]]),
    read: async (paths) => new Map(paths.map((one) => [one, text])),
  });
  expect([...graph.reach([path])]).toContain(path);
});
