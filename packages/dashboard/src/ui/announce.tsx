/** Tells people what happened, with a toast or only through screen readers. */
import { useEffect, useRef, useSyncExternalStore } from 'react';
import { IconButton } from './button.tsx';
import { Icon } from './icon.tsx';
import * as words from './ui.words.ts';

export type ToastTone = 'good' | 'bad' | 'info';

interface Toast {
  id: number;
  text: string;
  tone: ToastTone;
}

interface Voice {
  polite: string;
  assertive: string;
}

let toasts: readonly Toast[] = [];
let voice: Voice = { polite: '', assertive: '' };
let lastId = 0;
const listeners = new Set<() => void>();

const SHOWN_MS = 6000;
const MOST_SHOWN = 4;
/** Screen readers repeat the same text only when something in it differs. */
const UNHEARD = '\u00a0';

function changed(): void {
  for (const listener of listeners) listener();
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

/** Only screen readers announce it. `assertive` interrupts; use it for urgent messages. */
export function announce(text: string, urgency: 'polite' | 'assertive' = 'polite'): void {
  voice = { ...voice, [urgency]: voice[urgency] === text ? `${text}${UNHEARD}` : text };
  changed();
}

/** Shown in the corner for six seconds, and announced. Errors stay until closed. */
export function toast(text: string, tone: ToastTone = 'good'): void {
  lastId += 1;
  const id = lastId;
  toasts = [...toasts, { id, text, tone }].slice(-MOST_SHOWN);
  if (tone !== 'bad') setTimeout(() => dismiss(id), SHOWN_MS);
  announce(text, tone === 'bad' ? 'assertive' : 'polite');
}

function dismiss(id: number): void {
  toasts = toasts.filter((shown) => shown.id !== id);
  changed();
}

/** Rendered once in the app: the live regions and the toasts. */
export function Announcements() {
  const shown = useSyncExternalStore(subscribe, () => toasts);
  const said = useSyncExternalStore(subscribe, () => voice);
  const corner = useRef<HTMLElement>(null);

  useEffect(() => {
    // The corner is in the top layer, so that a toast appears above an open dialog. Hiding and showing the corner moves
    // it above a dialog that opened later.
    if (corner.current?.matches(':popover-open')) corner.current.hidePopover();
    if (shown.length > 0) corner.current?.showPopover();
  }, [shown]);

  return (
    <>
      <div className="unseen" aria-live="polite" role="status">
        {said.polite}
      </div>
      <div className="unseen" aria-live="assertive" role="alert">
        {said.assertive}
      </div>
      <section aria-label={words.toasts} className="toasts" popover="manual" ref={corner}>
        {shown.map(({ id, text, tone }) => (
          <div key={id} className="toast" data-tone={tone}>
            <Icon name={tone === 'bad' ? 'alert' : tone === 'good' ? 'check' : 'info'} />
            <div>{text}</div>
            <IconButton icon="close" label={words.closeToast} size="s" onClick={() => dismiss(id)} />
          </div>
        ))}
      </section>
    </>
  );
}
