import { unreadable } from './service-worker.words.ts';

/** The shown part of a push message. */
export interface ShownPush {
  title: string;
  body: string;
  /** A path within the dashboard. */
  path: string;
  tag: string;
  lasting: boolean;
}

/** The worker must show something for every message; otherwise the browser shows a text of its own. */
const UNREADABLE: ShownPush = {
  ...unreadable,
  path: '/inbox',
  tag: 'many',
  lasting: false,
};

const PAGE = /^\/(?:approve\/int_[0-9a-z]{26}|inbox|account|account\/notifications)$/;

/** The sender had the keys of the subscription, but the target is still checked. */
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
