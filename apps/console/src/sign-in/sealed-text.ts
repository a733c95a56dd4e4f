import { createHash, randomBytes } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { FlotillaError, type Retry } from '#core/kernel/errors/flotilla.error';
import { fileReason } from '#platform/files/file-tree.error';

/** The file with the key of sessions cannot be used. */
class SessionKeyUnusable extends FlotillaError {
  readonly code = 'SessionKeyUnusable';
  readonly retry: Retry = 'when-input-changes';
  constructor(file: string, problem: string) {
    super(`FLOTILLA_CONSOLE_SESSION_KEY_FILE: ${file} ${problem}`);
  }
}

const LEAST_KEY = 32;
const [ALGORITHM, ENCRYPTION] = ['dir', 'A256GCM'];
const ALLOWED = { keyManagementAlgorithms: [ALGORITHM], contentEncryptionAlgorithms: [ENCRYPTION] };

/** Late: most consoles have no accounts. */
const library = () => import('jose');

/** Texts that only consoles of this hub can read or make: JWE with A256GCM, bound to a purpose. */
export class SealedTexts {
  private constructor(private readonly key: Buffer) {}

  /** Without a file the key is of this process alone. @throws SessionKeyUnusable */
  static async open(file: string): Promise<SealedTexts> {
    if (file === '') return new SealedTexts(randomBytes(LEAST_KEY));
    const text = await readFile(file, 'utf8').catch((error: unknown) => {
      throw new SessionKeyUnusable(file, `cannot be read (${fileReason(error)})`);
    });
    if (text.trim().length < LEAST_KEY) throw new SessionKeyUnusable(file, `has less than ${LEAST_KEY} characters`);
    return new SealedTexts(createHash('sha256').update(text.trim()).digest());
  }

  async seal(text: string, purpose: string): Promise<string> {
    const { CompactEncrypt } = await library();
    return new CompactEncrypt(Buffer.from(text))
      .setProtectedHeader({ alg: ALGORITHM, enc: ENCRYPTION, typ: purpose })
      .encrypt(this.key);
  }

  /** Reads a sealed text; undefined if it was sealed with another key, or for another purpose. */
  async read(sealed: string, purpose: string): Promise<string | undefined> {
    const { compactDecrypt } = await library();
    try {
      const { plaintext, protectedHeader } = await compactDecrypt(sealed, this.key, ALLOWED);
      return protectedHeader.typ === purpose ? Buffer.from(plaintext).toString('utf8') : undefined;
    } catch {
      return undefined;
    }
  }
}
