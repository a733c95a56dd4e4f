import { createCipheriv, createDecipheriv, createHash, randomBytes } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { FlotillaError, type Retry } from '#core/kernel/errors/flotilla.error';
import { fileReason } from '#platform/files/file-tree.error';

/** The file with the key of sessions cannot be used. */
export class SessionKeyUnusable extends FlotillaError {
  readonly code = 'SessionKeyUnusable';
  readonly retry: Retry = 'when-input-changes';
  constructor(file: string, problem: string) {
    super(`FLOTILLA_CONSOLE_SESSION_KEY_FILE: ${file} ${problem}`);
  }
}

const CIPHER = 'aes-256-gcm';
const NONCE_BYTES = 12;
const TAG_BYTES = 16;
const LEAST_KEY = 32;

/** Texts that only the consoles of this hub can read or make: AES-256-GCM, bound to what they are for. */
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

  seal(text: string, purpose: string): string {
    const nonce = randomBytes(NONCE_BYTES);
    const cipher = createCipheriv(CIPHER, this.key, nonce).setAAD(Buffer.from(purpose));
    return Buffer.concat([nonce, cipher.update(text, 'utf8'), cipher.final(), cipher.getAuthTag()]).toString(
      'base64url',
    );
  }

  /** Undefined for what was sealed with another key, or for another purpose. */
  read(sealed: string, purpose: string): string | undefined {
    const bytes = Buffer.from(sealed, 'base64url');
    if (bytes.length < NONCE_BYTES + TAG_BYTES) return undefined;
    try {
      const decipher = createDecipheriv(CIPHER, this.key, bytes.subarray(0, NONCE_BYTES), { authTagLength: TAG_BYTES });
      decipher.setAAD(Buffer.from(purpose)).setAuthTag(bytes.subarray(-TAG_BYTES));
      const text = decipher.update(bytes.subarray(NONCE_BYTES, -TAG_BYTES));
      return Buffer.concat([text, decipher.final()]).toString('utf8');
    } catch {
      return undefined;
    }
  }
}
