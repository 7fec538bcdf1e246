import type { Socket } from 'node:net';

/** How every HTTP/2 connection begins; no method of HTTP/1 is called PRI. */
const preface = Buffer.from('PRI ', 'latin1');

/** As long as Node waits for the head of a request. */
const firstBytesMsMax = 60_000;

/** Looks at the first bytes, puts them back and says whether they are HTTP/2. */
export function sniffHttp2(socket: Socket, onKnown: (isHttp2: boolean) => void): void {
  const leave = (): void => void socket.destroy();
  socket.setTimeout(firstBytesMsMax, leave);
  socket.once('error', leave);
  const look = (bytes: Buffer): void => {
    socket.pause();
    const isHttp2 = startsAlike(bytes);
    if (isHttp2 && bytes.length < preface.length) {
      socket.once('data', (more: Buffer) => look(Buffer.concat([bytes, more])));
      return void socket.resume();
    }
    socket.setTimeout(0);
    socket.off('timeout', leave);
    socket.off('error', leave);
    socket.unshift(bytes);
    onKnown(isHttp2);
    // HTTP/2 reads by itself; what flowed past it now would be lost.
    if (!isHttp2) socket.resume();
  };
  socket.once('data', look);
}

function startsAlike(bytes: Buffer): boolean {
  const length = Math.min(bytes.length, preface.length);
  return bytes.subarray(0, length).equals(preface.subarray(0, length));
}
