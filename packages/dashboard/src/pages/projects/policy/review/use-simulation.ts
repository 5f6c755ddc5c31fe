import { useCallback, useEffect, useRef, useState } from 'react';
import type { Policy } from '../wire.ts';
import { type SimulationProgress, type SimulationSummary, simulate } from './simulation-stream.ts';

export type SimulationState =
  | { kind: 'running'; progress: SimulationProgress | null }
  | { kind: 'finished'; summary: SimulationSummary }
  | { kind: 'failed'; error: unknown }
  | { kind: 'stopped' };

const DAYS = 30;

/** Simulates a policy on the last 30 days. Starts when the component first renders, and stops when it unmounts. */
export function useSimulation(projectId: string, policy: Policy['policy']) {
  const [state, setState] = useState<SimulationState>({ kind: 'running', progress: null });
  const running = useRef<AbortController>(null);

  const start = useCallback(() => {
    running.current?.abort();
    const controller = new AbortController();
    running.current = controller;
    setState({ kind: 'running', progress: null });
    const from = new Date(Date.now() - DAYS * 86_400_000).toISOString();
    const isMine = () => running.current === controller;
    simulate(
      projectId,
      { policy, from },
      (progress) => isMine() && setState({ kind: 'running', progress }),
      controller.signal,
    ).then(
      (summary) => isMine() && setState({ kind: 'finished', summary }),
      (error: unknown) =>
        isMine() && setState(controller.signal.aborted ? { kind: 'stopped' } : { kind: 'failed', error }),
    );
  }, [projectId, policy]);

  useEffect(() => {
    start();
    return () => {
      const { current } = running;
      running.current = null;
      current?.abort();
    };
  }, [start]);

  return { state, start, stop: useCallback(() => running.current?.abort(), []) };
}
