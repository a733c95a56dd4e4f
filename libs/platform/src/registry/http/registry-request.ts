/** A request as this client makes them; the connection, the login and the time limits come from elsewhere. */
export type RegistryRequest = Readonly<{
  method?: 'GET' | 'HEAD' | 'POST' | 'PUT';
  headers?: Readonly<Record<string, string>>;
  body?: Uint8Array | string;
  /** The body holds a secret: it goes to the origin that it is for, whatever that redirects to. */
  isSecret?: boolean;
}>;
