/** Light, dark, or the system's setting. The choice is stored on this device. */
import { useSyncExternalStore } from 'react';
import { keep, recall } from '../api/kept-on-device.ts';

export type Theme = 'system' | 'light' | 'dark';

const KEY = 'permitry-theme';
const listeners = new Set<() => void>();

function read(): Theme {
  const kept = recall(KEY);
  return kept === 'light' || kept === 'dark' ? kept : 'system';
}

let theme = read();

/** Applies the choice. Called before the first paint. */
export function applyTheme(): void {
  if (theme === 'system') delete document.documentElement.dataset.theme;
  else document.documentElement.dataset.theme = theme;
}

export function chooseTheme(chosen: Theme): void {
  theme = chosen;
  keep(KEY, chosen === 'system' ? null : chosen);
  applyTheme();
  for (const listener of listeners) listener();
}

export function useTheme(): Theme {
  return useSyncExternalStore(
    (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    () => theme,
  );
}
