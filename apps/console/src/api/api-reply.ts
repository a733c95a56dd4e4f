/** The answer to one request of the API, as it is sent. */
export type ApiReply = Readonly<{
  status: number;
  headers: Readonly<Record<string, string>>;
  body: string | Buffer;
}>;
