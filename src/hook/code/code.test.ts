import { describe, expect, test } from 'vitest';
import { analyzeCommand } from '../shell/analyze.ts';
import { type FileFact, FileFacts } from '../shell/file-facts.ts';
import { type CodePort, isHarmlessCode } from './index.ts';

const place = { directory: '/home/dev/shop', home: '/home/dev', project: '/home/dev/shop' };
const known = new Map<string, FileFact>([
  ['/home/dev/shop/app/slug.py', { text: '', isDirectory: false, real: null }],
]);

/** Code is only read here. Nothing in this file runs any. */
function judge(language: string, code: string) {
  const reads: string[] = [];
  const writes: string[] = [];
  const port: CodePort = {
    directories: [place.directory],
    add: () => undefined,
    reads: ({ text }) => void reads.push(text),
    writes: ({ text }) => void writes.push(text),
    textOf: (path) => known.get(path)?.text ?? undefined,
  };
  return { isHarmless: isHarmlessCode(language, code, port), reads, writes };
}

describe('code that computes, prints and opens literal files is harmless', () => {
  test.each([
    ['python', 'import json\nfor row in json.load(open("a.json")): print(f"{row[0]:>5}")'],
    ['python', 'import app; print(app.__version__)'],
    ['python', 'from app.slug import slugify\nassert slugify("A b") == "a-b"'],
    [
      'python',
      'import re, pathlib\np = pathlib.Path("a.ts")\np.write_text(re.sub("a", "b", p.read_text()))',
    ],
    ['javascript', 'const p = require("./package.json"); console.log({ ...p.dependencies }.x)'],
    [
      'javascript',
      'import { expect, it } from "vitest"; import { f } from "./f.js"; it("a", () => expect(f(1)).toBe(2))',
    ],
    [
      'javascript',
      'const fs = require("fs"); console.log(fs.readFileSync("a.txt", "utf8").length)',
    ],
    ['perl', 's/\\bvar\\b/let/g'],
    ['perl', 'print if /let/'],
    ['go', 'package a\n\nimport "testing"\n\nfunc TestA(t *testing.T) { t.Log("x") }'],
  ])('%s: %s', (language, code) => {
    expect(judge(language, code).isHarmless).toBe(true);
  });
});

describe('code that could do more is not harmless', () => {
  test.each([
    ['python', 'import os'],
    ['python', 'import shutil as json; json.loads("x")'],
    ['python', 'from json import decoder'],
    ['python', 'import json; json.decoder'],
    ['python', '__import__("os")'],
    ['python', 'getattr(1, "x")'],
    ['python', '().__class__'],
    ['python', 'f(eval=1); eval("1")'],
    ['python', 'print(f"{eval(chr(49))}")'],
    ['python', 'name = "a"; open(name)'],
    ['python', 'from pathlib import Path; (Path("a") / "/srv/x").write_text("")'],
    ['python', 'from pathlib import Path; Path("a").replace("/srv/x")'],
    ['python', 'from pathlib import Path; type(Path("a"))("/srv/x").write_text("")'],
    ['python', 'from pathlib import Path; list(map(Path, ["/srv"]))'],
    ['python', 'import sys; sys.path.insert(0, "/tmp")'],
    ['python', 'import boto3;boto3.client("s3")'],
    ['python', 'from unknown_package import f; f()'],
    ['python', '%cd /'],
    ['python', 'if 1: import subprocess'],
    ['javascript', 'require("child_process")'],
    ['javascript', 'const { rmSync } = require("fs"); rmSync("a")'],
    ['javascript', 'require("fs").rmSync("a")'],
    ['javascript', 'fs.rmSync("a")'],
    ['javascript', 'const fs = require("fs"); const g = fs; g.rmSync("a")'],
    ['javascript', '[]["const" + "ructor"]'],
    ['javascript', '[].map.constructor("1")()'],
    ['javascript', 'const { constructor: F } = () => 1; F("1")'],
    ['javascript', '(function () { return this })().process'],
    ['javascript', 'arguments[1]("fs")'],
    ['javascript', 'import("fs")'],
    ['javascript', 'process.env.TOKEN'],
    ['javascript', 'const p = process; p.kill(1)'],
    ['javascript', 'fetch("http://a.test")'],
    ['javascript', 'import { vi } from "vitest"; vi.importActual("fs")'],
    ['javascript', 'import { run } from "./run.js"; run("/srv/x")'],
    ['javascript', 'const x: number = 1'],
    ['perl', 'system("date")'],
    ['perl', 's/a/date/e'],
    ['perl', 's/(?{ date })//'],
    ['perl', 's/a/@{[ `date` ]}/'],
    ['go', 'package a\n\nimport (\n\t"os"\n)\n'],
    ['go', 'package a\n\nimport x "os/exec"\n'],
    ['go', 'package a\n\nimport "C"\n'],
    ['go', '//go:generate date\npackage a\n'],
    ['ruby', 'puts 1'],
  ])('%s: %s', (language, code) => {
    expect(judge(language, code).isHarmless).toBe(false);
  });
});

test('files that code opens by literal names are effects of the command', () => {
  const code = 'a = open("in.txt").read(); open("/srv/out", "w").write(a)';
  expect(judge('python', code)).toEqual({
    isHarmless: true,
    reads: ['in.txt'],
    writes: ['/srv/out'],
  });
  const effects = analyzeCommand(`python3 - <<'X'\n${code}\nX`, place, new FileFacts()).list();
  expect(effects).toContainEqual({ kind: 'file.write', values: { paths: ['/srv/out'] } });
});
