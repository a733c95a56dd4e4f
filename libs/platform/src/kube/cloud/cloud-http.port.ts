/** A question to a cloud about a login. */
export type CloudQuestion = Readonly<{
  url: string;
  /** The name of the service, for messages. */
  service: string;
  /**
   * `node`: an address of the node itself that gives credentials. It is one of a fixed list, and is asked
   * without a proxy.
   */
  at: 'internet' | 'node';
  headers?: Readonly<Record<string, string>>;
  /** The body of a POST. Absent: a GET. */
  body?: string;
}>;

export type CloudAnswer = Readonly<{
  status: number;
  header(name: string): string | undefined;
  text: string;
}>;

/** Asks the services of clouds. */
export interface CloudHttp {
  /** @throws CloudLoginError if there is no answer */
  ask(question: CloudQuestion, signal: AbortSignal): Promise<CloudAnswer>;
}

/** A login that a cloud did not give. The message is one line without secrets. */
export class CloudLoginError extends Error {}
