/** The admission of a request. If it is refused: the status and the reason. */
export type Admission = Readonly<{ admitted: true } | { admitted: false; status: 401 | 403 | 503; message: string }>;

export const ADMITTED: Admission = { admitted: true };

export const tokenMissing: Admission = {
  admitted: false,
  status: 401,
  message: 'authentication is needed: send "Authorization: Bearer TOKEN"',
};

export const tokenUnknown: Admission = {
  admitted: false,
  status: 401,
  message: 'the hub does not know this token, or it is no longer valid',
};

export const pathForbidden = (name: string, path: string): Admission => ({
  admitted: false,
  status: 403,
  message: `"${name}" may not read ${path}`,
});

export const reviewUnavailable: Admission = {
  admitted: false,
  status: 503,
  message: 'the token cannot be reviewed now: the API server of the hub does not answer; try again',
};

/** Headers of a refusal. */
export const refusalHeaders = (status: number): Readonly<Record<string, string>> => ({
  ...(status === 401 ? { 'WWW-Authenticate': 'Bearer realm="flotilla"' } : {}),
  ...(status === 503 ? { 'Retry-After': '1' } : {}),
});
