import { z } from 'zod';
import { answerData, askHub, TOKEN_ADVICE } from './ask-hub.js';

const Build = z.object({
  version: z.string(),
  commit: z.string().optional(),
  node: z.string(),
  platform: z.string(),
});

/** The build that runs as the hub at an address, or why it is not known. */
export type HubVersion = Readonly<
  { url: string; known: true; build: z.infer<typeof Build> } | { url: string; known: false; because: string }
>;

/** Asks the hub for its version. Never rejects. */
export async function hubVersion(url: string, token?: string): Promise<HubVersion> {
  const answer = await askHub(url, '/version', token);
  if (!answer.reached) return { url, known: false, because: answer.because };
  const build = Build.safeParse(answerData(answer.text));
  if (answer.status === 200 && build.success) return { url, known: true, build: build.data };
  const needsToken = answer.status === 401 || answer.status === 403;
  if (needsToken) return { url, known: false, because: `it answers ${answer.status} at /version: ${TOKEN_ADVICE}` };
  return { url, known: false, because: `it answers ${answer.status} at /version, which is not the answer of a hub` };
}
