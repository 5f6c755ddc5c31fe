import { useEffect, useRef, useSyncExternalStore } from 'react';
import { keep, recall } from '../api/kept-on-device.ts';

const KEY = 'permitry-shortcuts';
const watchers = new Set<() => void>();

/** Single-key shortcuts can interfere, for example with speech input (WCAG 2.1.4), so people can turn them off. */
export function useShortcutsOn(): [boolean, (on: boolean) => void] {
  const on = useSyncExternalStore(
    (watcher) => {
      watchers.add(watcher);
      return () => watchers.delete(watcher);
    },
    () => recall(KEY) !== 'off',
  );
  const set = (next: boolean) => {
    keep(KEY, next ? 'on' : 'off');
    for (const watcher of watchers) watcher();
  };
  return [on, set];
}

/**
 * Calls the handler of a key pressed on its own. Never during typing or while a dialog is open: keys meant for a field
 * must not decide anything.
 */
export function useShortcuts(keys: Readonly<Record<string, () => void>>): void {
  const [on] = useShortcutsOn();
  const current = useRef(keys);
  current.current = keys;
  useEffect(() => {
    if (!on) return;
    const press = (event: KeyboardEvent) => {
      if (event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey || event.isComposing)
        return;
      if (isTyping(event.target) || document.querySelector('dialog[open]')) return;
      // A held `j` or `k` keeps moving; other keys act once per press.
      if (event.repeat && event.key !== 'j' && event.key !== 'k') return;
      // Enter on a button or a link activates it, so it is not a shortcut there.
      if (
        event.key === 'Enter' &&
        event.target instanceof Element &&
        event.target.closest('button, a, summary')
      )
        return;
      const act = current.current[event.key];
      if (!act) return;
      event.preventDefault();
      act();
    };
    document.addEventListener('keydown', press);
    return () => document.removeEventListener('keydown', press);
  }, [on]);
}

function isTyping(target: EventTarget | null): boolean {
  if (!(target instanceof HTMLElement)) return false;
  // A form handles its own keys: Enter submits it.
  if (target.closest('form')) return true;
  if (
    target.isContentEditable ||
    target instanceof HTMLTextAreaElement ||
    target instanceof HTMLSelectElement
  ) {
    return true;
  }
  return (
    target instanceof HTMLInputElement && !['checkbox', 'radio', 'button', 'submit'].includes(target.type)
  );
}
