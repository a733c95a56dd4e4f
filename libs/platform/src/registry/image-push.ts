import type { Digest } from '../content/content-store.port.js';
import { manifestName, parseImageReference } from './client/image-reference.js';
import type { PullOptions } from './client/registry-client.port.js';
import type { RegistryTransport } from './http/registry-transport.js';
import type { Session } from './http/session.js';
import type { HttpRegistryClient } from './http-registry-client.js';
import type { BuiltBlob, BuiltImage } from './image-builder.js';

/**
 * Pushes an image under a tag or digest; blobs that the registry has already are not sent.
 * Gives the manifest's digest.
 */
export async function pushImage(
  client: HttpRegistryClient,
  reference: string,
  image: BuiltImage,
  options: PullOptions = {},
): Promise<Digest> {
  return client.transport.session(parseImageReference(reference), options, 'pull,push', (session) =>
    push(client.transport, session, image),
  );
}

async function push(transport: RegistryTransport, session: Session, image: BuiltImage): Promise<Digest> {
  const parsed = session.reference;
  if (parsed.digest !== undefined && parsed.digest !== image.manifest.digest) {
    throw session.refuse('DigestMismatch', `the image to push has digest ${image.manifest.digest}: push it by tag`);
  }
  for (const blob of [...image.layers, image.config]) await pushBlob(transport, session, blob);
  const url = transport.url(parsed, `manifests/${manifestName(parsed)}`);
  const { bytes, mediaType } = image.manifest;
  await transport.send(session, url, { method: 'PUT', headers: { 'content-type': mediaType }, body: bytes });
  return image.manifest.digest;
}

async function pushBlob(transport: RegistryTransport, session: Session, { digest, bytes }: BuiltBlob): Promise<void> {
  if (await holds(transport, session, digest)) return;
  const start = await transport.send(session, transport.url(session.reference, 'blobs/uploads/'), { method: 'POST' });
  const location = start.get('location');
  const base = transport.url(session.reference, 'blobs/uploads/');
  if (location === null || !URL.canParse(location, base.href)) {
    throw session.refuse('Malformed', `registry ${base.host} began an upload and named no location for it`);
  }
  const url = new URL(location, base);
  url.searchParams.set('digest', digest);
  const headers = { 'content-type': 'application/octet-stream' };
  await transport.send(session, url, { method: 'PUT', headers, body: bytes });
}

async function holds(transport: RegistryTransport, session: Session, digest: Digest): Promise<boolean> {
  const url = transport.url(session.reference, `blobs/${digest}`);
  return transport.send(session, url, { method: 'HEAD' }).then(
    () => true,
    (error: unknown) => {
      if (error instanceof Error && 'failure' in error && error.failure === 'NotFound') return false;
      throw error;
    },
  );
}
