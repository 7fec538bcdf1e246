import { mkdirSync } from 'node:fs';
import type { LocalStoreRequest, ServerCommand } from './server-command.ts';

export function redisCommand({ urls, directory }: LocalStoreRequest): ServerCommand {
  const url = new URL(urls[0] ?? '');
  mkdirSync(directory, { recursive: true, mode: 0o700 });
  const password = decodeURIComponent(url.password);
  return {
    program: 'redis-server',
    words: [
      ...['--port', url.port || '6379', '--bind', '127.0.0.1', '--dir', directory],
      ...['--save', '60 1', '--appendonly', 'no'],
      ...(password ? ['--requirepass', password] : []),
    ],
  };
}
