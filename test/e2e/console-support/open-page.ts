import { createParser } from 'eventsource-parser';
import { expect } from 'vitest';
import { z } from 'zod';
import { PATIENCE_MS } from '#testing/patience';

/** The console lets a session ask so often. */
export const WAIT = { timeout: PATIENCE_MS, interval: 250 };

/** A row of an operator, as far as the tests read it. */
export const Operator = z.looseObject({
  ...{ cluster: z.string(), standing: z.string(), installed: z.string(), next: z.string() },
  ...{ plan: z.string(), planHash: z.string() },
});
export type Operator = z.infer<typeof Operator>;
const Frame = z.looseObject({ changed: z.array(z.looseObject({ kind: z.string() })) });

/** The frames that a page gets while it stays open. */
export class OpenPage {
  readonly frames: { event: string; data: string }[] = [];
  last = '';
  readonly #end = new AbortController();

  static async open(origin: string, signIn: Readonly<Record<string, string>>, lastEventId?: string): Promise<OpenPage> {
    const page = new OpenPage();
    const headers = { ...signIn, ...(lastEventId !== undefined && { 'last-event-id': lastEventId }) };
    const answer = await fetch(new URL('/api/v1/events', origin), { headers, signal: page.#end.signal });
    expect(answer.status).toBe(200);
    void page.#read(answer);
    await expect.poll(() => page.last, WAIT).not.toBe('');
    return page;
  }
  async #read({ body }: Response): Promise<void> {
    const parser = createParser({
      onEvent: ({ id, event = '', data }) => {
        this.last = id ?? this.last;
        if (event !== '') this.frames.push({ event, data });
      },
    });
    const decoder = new TextDecoder();
    try {
      for await (const piece of body ?? []) {
        const text = decoder.decode(piece, { stream: true });
        // An id without data makes no event of its own.
        this.last = /^id: (\S+)$/m.exec(text)?.[1] ?? this.last;
        parser.feed(text);
      }
    } catch {
      // The page was closed, or the console went away.
    }
  }
  /** Rows of operators that it got, in order. */
  operators(): readonly Operator[] {
    return this.frames
      .filter(({ event }) => event === 'rows')
      .flatMap(({ data }) => Frame.parse(JSON.parse(data)).changed)
      .filter(({ kind }) => kind === 'operator')
      .map((row) => Operator.parse(row));
  }
  close(): void {
    this.#end.abort();
  }
}
