import { createPrivateKey, X509Certificate } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import type { Server } from 'node:tls';
import { FlotillaError, type Retry } from '#core/kernel/errors/flotilla.error';
import type { Clock } from '../clock/clock.port.js';
import { fileReason } from '../files/file-tree.error.js';
import type { Log } from '../telemetry/log.port.js';

/** The certificate for the hub's HTTP cannot be used. Names files and reasons, never the content of a key. */
class TlsUnusable extends FlotillaError {
  readonly code = 'TlsUnusable';
  readonly retry: Retry = 'when-input-changes';
  constructor(problem: string) {
    super(`FLOTILLA_HTTP_TLS_CERT_FILE and FLOTILLA_HTTP_TLS_KEY_FILE: ${problem}`);
  }
}

type TlsPaths = Readonly<{ certFile: string; keyFile: string }>;
/** Certificate and key in PEM. */
type TlsPair = Readonly<{ cert: string; key: string }>;
type Reading = Readonly<{ clock: Clock; log: Log }>;

const READ_EVERY_MS = 10_000;

/**
 * The certificate for services that serve HTTP. The files are read again every ten seconds: new connections
 * get the new certificate, open ones continue. Files that do not fit together leave the old certificate in
 * use.
 */
export class ServingTls {
  readonly #servers: Server[] = [];
  #cancel: () => void = () => undefined;
  #unusable = '';

  private constructor(
    private readonly paths: TlsPaths,
    private readonly reading: Reading,
    private pair: TlsPair,
  ) {
    this.#later();
  }

  /**
   * Opens the certificate. Returns undefined if no files are named.
   *
   * @throws TlsUnusable if one is named without the other, or they cannot be used together
   */
  static async open(paths: TlsPaths, reading: Reading): Promise<ServingTls | undefined> {
    const { certFile, keyFile } = paths;
    if (certFile === '' && keyFile === '') return undefined;
    if (certFile === '' || keyFile === '') throw new TlsUnusable('set both, or neither');
    return new ServingTls(paths, reading, await readPair(paths));
  }

  /** Options of a new server. */
  get options(): TlsPair & Readonly<{ minVersion: 'TLSv1.2' }> {
    return { ...this.pair, minVersion: 'TLSv1.2' };
  }

  /** Gives the server each certificate that follows. */
  renew(server: Server): void {
    this.#servers.push(server);
  }

  stop(): void {
    this.#cancel();
    this.#servers.length = 0;
  }

  #later(): void {
    this.#cancel = this.reading.clock.after(READ_EVERY_MS, () => void this.#readAgain().then(() => this.#later()));
  }

  async #readAgain(): Promise<void> {
    const { log } = this.reading;
    try {
      const pair = await readPair(this.paths);
      this.#unusable = '';
      if (pair.cert === this.pair.cert && pair.key === this.pair.key) return;
      this.pair = pair;
      for (const server of this.#servers) server.setSecureContext(this.options);
      log.info({ file: this.paths.certFile }, 'reloaded the HTTP certificate of the hub');
    } catch (error) {
      const because = error instanceof Error ? error.message : String(error);
      if (because !== this.#unusable)
        log.error({ because }, 'could not reload the HTTP certificate of the hub; the earlier one stays in use');
      this.#unusable = because;
    }
  }
}

async function readPair({ certFile, keyFile }: TlsPaths): Promise<TlsPair> {
  const [cert, key] = await Promise.all([textOf(certFile), textOf(keyFile)]);
  try {
    if (new X509Certificate(cert).checkPrivateKey(createPrivateKey(key))) return { cert, key };
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    throw new TlsUnusable(`${certFile} and ${keyFile} are not a certificate and key in PEM form (${why})`);
  }
  throw new TlsUnusable(`the key in ${keyFile} does not belong to the certificate in ${certFile}`);
}

const textOf = (file: string): Promise<string> =>
  readFile(file, 'utf8').catch((error: unknown) => {
    throw new TlsUnusable(`${file} cannot be read (${fileReason(error)})`);
  });
