import { posix } from 'node:path';
import {
  filesIn,
  localPath,
  type Program,
  type ProgramPlace,
  textIn,
  wordsOf,
} from './program-place.ts';

export function javaProgram(place: ProgramPlace): Program {
  const files = filesIn(place);
  const isMaven = files.includes('pom.xml');
  const built = isMaven ? mavenJar(place) : gradleProgram(place);
  const line = place.line ?? (built.jar ? `java -jar ${built.jar}` : undefined);
  const command = line === undefined ? undefined : startLine(line, built.jar, place);
  return { build: built.build, command, tagging: 'baggage' };
}

interface BuiltProgram {
  readonly build: string;
  readonly jar?: string | undefined;
}

function mavenJar(place: ProgramPlace): BuiltProgram {
  const files = filesIn(place);
  const pom = textIn(place, 'pom.xml');
  const own = pom.replaceAll(
    /<(parent|dependencies|dependencyManagement|build|profiles|plugins)>[\s\S]*?<\/\1>/g,
    '',
  );
  const tag = (name: string, text: string): string | undefined =>
    new RegExp(`<${name}>\\s*([^<$\\s]+)\\s*</${name}>`).exec(text)?.[1];
  const artifact = tag('artifactId', own);
  const parent = /<parent>[\s\S]*?<\/parent>/.exec(pom)?.[0] ?? '';
  const version = tag('version', own) ?? tag('version', parent);
  const given = tag('finalName', pom);
  const name = given ?? (artifact && version ? `${artifact}-${version}` : undefined);
  const maven = files.includes('mvnw') ? 'sh ./mvnw' : 'mvn';
  const isQuarkus = /quarkus-maven-plugin/.test(pom);
  const jar = isQuarkus ? 'target/quarkus-app/quarkus-run.jar' : name && `target/${name}.jar`;
  return { build: `${maven} --batch-mode --quiet -DskipTests package`, jar };
}

function gradleProgram(place: ProgramPlace): BuiltProgram {
  const files = filesIn(place);
  const script = textIn(place, 'build.gradle') + textIn(place, 'build.gradle.kts');
  const gradle = files.includes('gradlew') ? 'sh ./gradlew' : 'gradle';
  const isSpring = /org\.springframework\.boot/.test(script);
  const isShadow = /\bshadow\b/.test(script);
  const isApplication = /\bapplication\b/.test(script);
  if (isSpring) return { build: `${gradle} --quiet bootJar`, jar: 'build/libs/*.jar' };
  if (isShadow) return { build: `${gradle} --quiet shadowJar`, jar: 'build/libs/*-all.jar' };
  if (isApplication) {
    const project = /rootProject\.name\s*=\s*['"]([^'"]+)/.exec(
      textIn(place, 'settings.gradle') + textIn(place, 'settings.gradle.kts'),
    )?.[1];
    const name = project ?? posix.basename(place.directory);
    return {
      build: `${gradle} --quiet installDist`,
      jar: place.line ? undefined : `build/install/${name}/bin/${name}`,
    };
  }
  return { build: `${gradle} --quiet build -x test`, jar: 'build/libs/*.jar' };
}

/** The jar of the image has another name than the one that the build makes. */
function startLine(line: string, jar: string | undefined, place: ProgramPlace): string {
  if (jar?.includes('/bin/') && !place.line) return jar;
  const words = wordsOf(line).map((word) => {
    if (/\.jar["']?$/.test(word)) return jar ?? localPath(word, place);
    return localPath(word, place);
  });
  const flag = portProperty(place);
  const isJava = posix.basename(words[0] ?? '') === 'java';
  if (!isJava || flag === undefined || line.includes(flag)) return words.join(' ');
  return ['java', `-D${flag}=$PORT`, ...words.slice(1)].join(' ');
}

/** Frameworks that do not read PORT, and the property that they read. */
function portProperty(place: ProgramPlace): string | undefined {
  const manifest = ['pom.xml', 'build.gradle', 'build.gradle.kts']
    .map((file) => textIn(place, file))
    .join('\n');
  if (/spring-boot/.test(manifest) || /org\.springframework\.boot/.test(manifest))
    return 'server.port';
  if (/quarkus/.test(manifest)) return 'quarkus.http.port';
  return /micronaut/.test(manifest) ? 'micronaut.server.port' : undefined;
}
