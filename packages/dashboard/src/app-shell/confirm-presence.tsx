/** Asks for a fresh proof of presence before a sensitive change. */
import { useEffect, useState } from 'react';
import { confirmPresence } from '../api/confirm-presence.ts';
import { later } from '../ui/later.tsx';

/** Loaded when it is needed: most visits do not need it. */
const PresenceDialog = later(() => import('./presence-dialog.tsx'), 'default');

export interface Asked {
  methods: readonly string[];
  answer: (isConfirmed: boolean) => void;
}

export function ConfirmPresence() {
  const [asked, setAsked] = useState<Asked | null>(null);

  useEffect(() => {
    confirmPresence.asker = (methods) =>
      new Promise((resolve) => {
        setAsked({
          methods,
          answer: (isConfirmed) => {
            setAsked(null);
            resolve(isConfirmed);
          },
        });
      });
    return () => {
      confirmPresence.asker = null;
    };
  }, []);

  return asked && <PresenceDialog {...asked} />;
}
