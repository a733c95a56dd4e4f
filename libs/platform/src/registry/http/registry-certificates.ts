import { X509Certificate } from 'node:crypto';
import { readdir, readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { byCodeUnit } from '#core/kernel/canonical/canonical-json';
import { FlotillaError, type Retry } from '#core/kernel/errors/flotilla.error';

/** A certificate file that cannot be used; names the file, never its content. */
class InvalidCertificate extends FlotillaError {
  readonly code = 'InvalidCertificate';
  readonly retry: Retry = 'backoff';
  constructor(
    readonly file: string,
    why: string,
  ) {
    super(`certificates at ${file} cannot be used: ${why}`);
  }
}

/** Files of a TLS connection in addition to the system's own authorities. All PEM. */
export type TlsFiles = Readonly<{ authorities: readonly string[]; client?: Readonly<{ cert: string; key: string }> }>;

export type CertificateLocations = Readonly<{
  /** A PEM file, or a directory of `*.crt` and `*.pem`: authorities for every registry. */
  authorities?: string;
  /**
   * Directories named `HOST` or `HOST:PORT` as in references, in the form of docker and podman
   * (containers-certs.d(5)): `*.crt` are authorities for that registry, `*.cert` with a `*.key` of the same
   * name a client certificate.
   */
  directories?: string;
}>;

const HOST = /^[A-Za-z0-9[][A-Za-z0-9.:[\]-]*$/;
const CERTIFICATE = /-----BEGIN CERTIFICATE-----[\s\S]*?-----END CERTIFICATE-----/g;

/** Reads the certificates for a registry host. Files are read again at every call: mounted Secrets change. */
export class RegistryCertificates {
  constructor(private readonly locations: CertificateLocations) {}

  /** Throws {@link InvalidCertificate}. */
  async of(host: string): Promise<TlsFiles> {
    const { authorities, directories } = this.locations;
    const everywhere = authorities ? await authoritiesAt(authorities) : [];
    if (!directories || !HOST.test(host)) return { authorities: everywhere };
    const directory = join(directories, host);
    const names = (await readdir(directory).catch(absentAt(directory)))?.toSorted(byCodeUnit) ?? [];
    const own = names.filter((name) => name.endsWith('.crt')).map((name) => certificatesIn(join(directory, name)));
    const client = await clientPair(directory, names);
    return { authorities: [...everywhere, ...(await Promise.all(own)).flat()], ...(client ? { client } : {}) };
  }
}

async function authoritiesAt(path: string): Promise<string[]> {
  const found = await stat(path).catch(absentAt(path));
  if (found === undefined) throw new InvalidCertificate(path, 'there is no such file or directory');
  if (!found.isDirectory()) return certificatesIn(path);
  const names = (await readdir(path)).filter((name) => /\.(crt|pem)$/.test(name)).toSorted(byCodeUnit);
  return (await Promise.all(names.map((name) => certificatesIn(join(path, name))))).flat();
}

async function clientPair(directory: string, names: readonly string[]): Promise<TlsFiles['client']> {
  const name = names.find((candidate) => candidate.endsWith('.cert'));
  if (name === undefined) return undefined;
  const key = name.replace(/cert$/, 'key');
  if (!names.includes(key)) throw new InvalidCertificate(join(directory, name), `${key} is missing beside it`);
  const certificates = await certificatesIn(join(directory, name));
  return { cert: certificates.join('\n'), key: await textOf(join(directory, key)) };
}

async function certificatesIn(file: string): Promise<string[]> {
  const found = (await textOf(file)).match(CERTIFICATE) ?? [];
  if (found.length === 0) throw new InvalidCertificate(file, 'it holds no certificate in PEM form');
  for (const certificate of found) {
    try {
      new X509Certificate(certificate);
    } catch (error) {
      throw new InvalidCertificate(file, error instanceof Error ? error.message : String(error));
    }
  }
  return [...found];
}

async function textOf(file: string): Promise<string> {
  try {
    return await readFile(file, 'utf8');
  } catch (error) {
    throw new InvalidCertificate(file, error instanceof Error ? error.message : String(error));
  }
}

/** Returns undefined for a missing path; every other fault is reported. */
const absentAt =
  (path: string) =>
  (error: unknown): undefined => {
    if (error instanceof Error && 'code' in error && (error.code === 'ENOENT' || error.code === 'ENOTDIR')) return;
    throw new InvalidCertificate(path, error instanceof Error ? error.message : String(error));
  };
