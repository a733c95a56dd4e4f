import { StringDecoder } from 'node:string_decoder';
import { TransportError } from './transport.error.js';

/** etcd holds objects of at most 1.5 MiB; several times that is no longer a watch event. */
const LONGEST_LINE = 16 * 1024 * 1024;

/** The lines of a body, each without its end; what follows the last line end is dropped, being half an event. */
export async function* watchLines(body: AsyncIterable<Buffer>): AsyncGenerator<string> {
  const decoder = new StringDecoder('utf8');
  let rest: string[] = [];
  let held = 0;
  for await (const chunk of body) {
    const lines = decoder.write(chunk).split('\n');
    const last = lines.pop() ?? '';
    for (const line of lines) {
      yield rest.length === 0 ? line : rest.join('') + line;
      rest = [];
      held = 0;
    }
    if (last === '') continue;
    rest.push(last);
    held += last.length;
    if (held > LONGEST_LINE) throw new TransportError('too-large', 'one watch event is larger than 16 MiB');
  }
}
