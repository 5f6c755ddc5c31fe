/** What is shown of a push message. */
export interface ShownPush {
  title: string;
  body: string;
  /** A page of ours. */
  path: string;
  tag: string;
  lasting: boolean;
}

/** A message must be shown whatever is in it, or the browser shows one of its own. */
const UNREADABLE: ShownPush = {
  title: 'Permitry has news for you',
  body: 'Open the inbox to look at it.',
  path: '/inbox',
  tag: 'many',
  lasting: false,
};

const PAGE = /^\/(?:approve\/int_[0-9a-z]{26}|inbox|account|account\/notifications)$/;

/** Whoever sent it had the keys of the subscription; where it leads is looked at all the same. */
export function readPush(text: string | undefined): ShownPush {
  const message = parse(text);
  const { title, body, path, tag, lasting } = message;
  if (typeof title !== 'string' || typeof body !== 'string') return UNREADABLE;
  return {
    title,
    body,
    path: typeof path === 'string' && PAGE.test(path) ? path : '/inbox',
    tag: typeof tag === 'string' ? tag : 'many',
    lasting: lasting === true,
  };
}

function parse(text: string | undefined): Record<string, unknown> {
  try {
    const value: unknown = JSON.parse(text ?? '');
    return typeof value === 'object' && value !== null ? { ...value } : {};
  } catch {
    return {};
  }
}
