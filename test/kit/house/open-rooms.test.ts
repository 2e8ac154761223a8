import { describe, expect, it } from 'vitest';
import { bindPort, openRooms } from '../../../src/kit/house/open-rooms.ts';
import { defineRoom, port } from '../../../src/core/schema/room.ts';

const base = port<string>('base');
const bread = port<string>('bread');
const flour = port<string>('flour');

function kitchen() {
  const log: string[] = [];
  const baker = defineRoom({
    name: 'baker',
    needs: { flour },
    gives: { bread },
    open: ({ flour: from }) => {
      log.push('open baker');
      return { gives: { bread: `bread of ${from}` }, close: () => void log.push('close baker') };
    },
  });
  const mill = defineRoom({
    name: 'mill',
    needs: { base },
    gives: { flour },
    open: ({ base: from }) => {
      log.push('open mill');
      return { gives: { flour: `flour of ${from}` }, close: () => void log.push('close mill') };
    },
  });
  return { log, baker, mill };
}

describe('opening rooms', () => {
  it('R3 a room is opened after those that give what it needs, whatever the order of the list, and closed before them', async () => {
    const { log, baker, mill } = kitchen();
    const open = await openRooms([baker, mill], [bindPort(base, 'wheat')]);
    expect(open.valueOf(bread)).toBe('bread of flour of wheat');
    expect(open.rooms.map(({ name }) => name)).toEqual(['baker', 'mill']);
    await open.close();
    expect(log).toEqual(['open mill', 'open baker', 'close baker', 'close mill']);
  });

  it('O1 a need that no room gives is an error that names the room and the port', async () => {
    const { baker } = kitchen();
    await expect(openRooms([baker], [])).rejects.toThrow('the room baker needs the port "flour", which no room gives');
  });

  it('O1 rooms that need each other are an error that names them', async () => {
    const { baker } = kitchen();
    const mill = defineRoom({
      name: 'mill',
      needs: { bread },
      gives: { flour },
      open: () => ({ gives: { flour: '' } }),
    });
    await expect(openRooms([baker, mill], [])).rejects.toThrow('rooms need each other: baker → mill → baker');
  });

  it('O1 two givers of one port are an error that names both', async () => {
    const { mill } = kitchen();
    const other = defineRoom({ name: 'shop', gives: { flour }, open: () => ({ gives: { flour: 'bought' } }) });
    await expect(openRooms([mill, other], [bindPort(base, '')])).rejects.toThrow(
      'the port "flour" is given by mill and by the room shop',
    );
  });

  it('a room that opens a tool which it does not declare is named', async () => {
    const { forecastTool } = await import('../../fixture/rooms/weather/forecast-tool.ts');
    const sly = defineRoom({ name: 'sly', open: () => ({ tools: [forecastTool('sunny')] }) });
    await expect(openRooms([sly], [])).rejects.toThrow('the room sly opened tools that it does not declare');
  });

  it('what was opened is closed when a later room fails to open, and all are closed when one fails to close', async () => {
    const { log, baker, mill } = kitchen();
    const broken = defineRoom({
      name: 'broken',
      needs: { bread },
      open: () => {
        throw new Error('no oven');
      },
    });
    await expect(openRooms([broken, baker, mill], [bindPort(base, '')])).rejects.toThrow('no oven');
    expect(log.slice(2)).toEqual(['close baker', 'close mill']);
    const loud = defineRoom({
      name: 'loud',
      needs: { bread },
      open: () => ({ close: () => Promise.reject(new Error('stuck')) }),
    });
    const open = await openRooms([loud, baker, mill], [bindPort(base, '')]);
    log.length = 0;
    await expect(open.close()).rejects.toThrow('stuck');
    expect(log).toEqual(['close baker', 'close mill']);
  });
});
