/** What telemetry contributes: its setting, a line of `oka doctor`, and the export while a worker runs, if it is wanted. */
import { configPort, defineRoom } from '../../core/schema/room.ts';
import { ports } from '../../kit/ports/room-ports.ts';
import type { TelemetryConfig } from './telemetry-config.ts';

const { home } = ports;

export const telemetry = defineRoom({
  name: 'rooms/telemetry',
  config: async () => ({ telemetry: (await import('./telemetry-config.ts')).TelemetryConfig }),
  findings: async (at, { loadConfig }) => {
    const config = await loadConfig().catch(() => null); // what is wrong with it has a line of its own
    const wanted = (config as { telemetry?: TelemetryConfig } | null)?.telemetry;
    if (wanted?.otlp === undefined) return [];
    return (await import('./export-telemetry.ts')).telemetryFindings(at, wanted.otlp);
  },
  needs: { home, config: configPort<TelemetryConfig>('telemetry') },
  open: async (needed) => {
    const { otlp, texts } = needed.config;
    if (otlp === undefined) return {};
    const { exportTelemetry } = await import('./export-telemetry.ts');
    return { close: exportTelemetry(needed.home, { otlp, texts }).end };
  },
});
