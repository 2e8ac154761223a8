/** Tests have the rooms of the product, as every process of oka. */
import { setRooms } from '../../src/kit/house/house.ts';

setRooms(async () => (await import('../../src/app/rooms.ts')).rooms);
