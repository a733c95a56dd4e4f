type Fields = Readonly<Record<string, unknown>>;

/**
 * Returns the reason parts of an access do not go together. kubectl refuses the same ones: with either part
 * alone, requests would be sent as another user, or to a server that was not checked.
 */
export const conflictIn = (cluster: Fields, user: Fields): string | undefined =>
  conflictOfCluster(cluster) ?? conflictOfUser(user);

function conflictOfCluster(cluster: Fields): string | undefined {
  if (isTwice(cluster, 'certificate-authority'))
    return 'its cluster has certificate-authority and certificate-authority-data: remove one';
  if (cluster['insecure-skip-tls-verify'] === true && has(cluster, 'certificate-authority'))
    return 'its cluster has an authority and insecure-skip-tls-verify: remove one';
  return undefined;
}

function conflictOfUser(user: Fields): string | undefined {
  // kubectl does not judge a key without a certificate.
  const parts = has(user, 'client-certificate') ? ['client-certificate', 'client-key'] : [];
  const twice = parts.find((name) => isTwice(user, name));
  if (twice !== undefined) return `its user has ${twice} and ${twice}-data: remove one`;
  if (parts.some((name) => !has(user, name))) return 'its user has a client certificate without its key';
  if (user['token'] && (user['username'] || user['password'])) return 'its user has a token and a password: remove one';
  const more = [user['as-uid'], ...Object.values(user['as-groups'] ?? {}), ...Object.keys(user['as-user-extra'] ?? {})];
  return more.some(Boolean) && !user['as'] ? 'its user has as-uid, as-groups or as-user-extra, and no as' : undefined;
}

const isTwice = (fields: Fields, name: string): boolean => Boolean(fields[name] && fields[`${name}-data`]);
const has = (fields: Fields, name: string): boolean => Boolean(fields[name] || fields[`${name}-data`]);
