"""Sentences as language models write them about a business record, against the record. All values are invented."""

from __future__ import annotations

import json

import pytest

from surefoot.verify.structured import Agreement, check_record

KITCHEN = json.dumps(
    {
        "name": "Harbour Street Kitchen",
        "address": "12 Harbour St",
        "city": "Goleta",
        "state": "CA",
        "categories": "Restaurants, Seafood, Bars, Nightlife",
        "hours": {
            "Monday": "0:0-0:0",
            "Tuesday": "11:0-21:0",
            "Wednesday": "11:0-21:0",
            "Thursday": "11:0-21:0",
            "Friday": "11:0-22:30",
            "Saturday": "10:0-22:30",
            "Sunday": "10:0-21:0",
        },
        "attributes": {
            "BusinessParking": {"garage": False, "street": True, "validated": None, "lot": True, "valet": False},
            "RestaurantsReservations": False,
            "OutdoorSeating": True,
            "WiFi": "no",
            "RestaurantsTakeOut": True,
            "RestaurantsGoodForGroups": True,
            "Music": None,
            "Ambience": {
                "romantic": False,
                "intimate": None,
                "touristy": False,
                "hipster": False,
                "divey": False,
                "classy": True,
                "trendy": False,
                "upscale": None,
                "casual": True,
            },
        },
        "business_stars": 3.5,
        "review_info": [
            {
                "review_stars": 5.0,
                "review_date": "2022-01-10 20:11:02",
                "review_text": (
                    "Best chowder in town and the staff remembered my birthday. The patio heaters "
                    "kept us warm all night."
                ),
            },
            {
                "review_stars": 2.0,
                "review_date": "2021-12-01 18:22:52",
                "review_text": (
                    "Waited forty minutes for a table and the fish was dry. Our server never came back with the bill."
                ),
            },
        ],
    }
)
CAFE = json.dumps(
    {
        "name": "Green Leaf Tea",
        "address": "48 Fir Ave",
        "city": "Nashville",
        "state": "TN",
        "categories": "Cafes, Bubble Tea, Food",
        "hours": {
            "Monday": "7:0-19:0",
            "Tuesday": "7:0-19:0",
            "Wednesday": "7:0-19:0",
            "Thursday": "7:0-19:0",
            "Friday": "7:0-19:0",
            "Saturday": "8:0-15:0",
        },
        "attributes": {
            "BusinessParking": None,
            "RestaurantsReservations": None,
            "OutdoorSeating": False,
            "WiFi": "free",
            "RestaurantsTakeOut": True,
            "RestaurantsGoodForGroups": None,
            "Music": None,
            "Ambience": None,
        },
        "business_stars": 4.5,
        "review_info": [
            {
                "review_stars": 4.0,
                "review_date": "2020-01-10 20:11:02",
                "review_text": (
                    "Lovely little cafe with great tea. Parking is tricky at lunch but the staff are friendly."
                ),
            }
        ],
    }
)
RIGHT_OF_KITCHEN = (
    "It is open Tuesday through Thursday from 11 AM to 9 PM, Friday from 11 AM to "
    "10:30 PM, Saturday from 10 AM to 10:30 PM, and Sunday from 10 AM to 9 PM.",
    "The restaurant offers outdoor seating and takeout but does not accept reservations.",
    "Parking is available on the street and in a lot.",
    "The restaurant has a casual and classy ambience.",
    "There is no Wi-Fi available.",
    "Customers can find street parking or use the parking lot, although valet and garage parking are not offered.",
    "With a rating of 3.5 stars, the restaurant draws mixed opinions.",
    "It is a good place for groups and offers take-out.",
    "A casual, classy atmosphere makes it suitable for groups.",
    "Reservations are not taken, and WiFi is not provided.",
    "The ambience is described as classy and casual, and not touristy or hipster.",
    "The business does not provide valet parking or a garage.",
    "The establishment provides street and lot parking, outdoor seating, and takeout options.",
    "Amenities include outdoor seating, street parking, and a parking lot, while "
    "WiFi and reservations are not available.",
    "One reviewer gave it five stars and praised the chowder.",
    "Another customer gave 2 stars because of a long wait.",
    "The restaurant is closed on Mondays.",
    "It does not have WiFi, but it offers outdoor seating.",
    "It has no valet parking, offers takeout, and suits groups.",
    "There are a lot of seafood dishes, and parking is easy to find on the street.",
    "The restaurant is located in Goleta, CA, and serves seafood.",
    "It is not clear whether music is played.",
    "The data does not specify whether there is music.",
    "Customers praised the friendly staff.",
    "On weekends it opens at 10 AM.",
    "The patio heaters keep guests warm.",
    "It is casual and classy rather than romantic, and not touristy, hipster, divey or trendy.",
    "The ambience is not romantic, touristy, hipster, divey, or trendy.",
    "It opens at 11 AM and closes at 9 PM from Tuesday to Thursday, with longer hours on Friday, until 10:30 PM.",
    "The restaurant is rated 3.5 out of 5.",
    "There is no garage or valet parking, but there is a lot.",
)
WRONG_OF_KITCHEN = (
    "It offers free WiFi to its guests.",
    "The restaurant accepts reservations and offers takeout.",
    "Valet parking is available for customers.",
    "There is a garage for parking.",
    "It has a romantic and casual ambience.",
    "The restaurant features live music.",
    "There is no music at the restaurant.",
    "It has a trendy atmosphere.",
    "There is no outdoor seating at this location.",
    "No parking is available.",
    "It is open every day from 11 AM to 9 PM.",
    "On Fridays it is open from 11 AM to 10 PM.",
    "The restaurant is not suitable for groups.",
    "Takeout is not available.",
    "Validated parking is offered.",
    "It offers an intimate setting for couples.",
    "The atmosphere is upscale.",
    "It has a rating of 4.5 stars.",
    "It is open from Monday to Sunday, 11:00 to 21:00.",
    "The restaurant does not have a casual ambience.",
    "Guests enjoy a hipster vibe.",
    "The business offers amenities such as WiFi, takeout, and outdoor seating.",
    "Neither takeout nor outdoor seating is offered.",
    "The restaurant has street, lot, and garage parking.",
    "It does not offer WiFi, outdoor seating, or takeout.",
    "It is open from 11 AM to 9 PM, Tuesday to Saturday.",
    "It is closed on Sundays.",
    "The restaurant lacks outdoor seating.",
    "It is not good for groups.",
    "Outdoor seating isn't available here.",
)
RIGHT_OF_CAFE = (
    "Green Leaf Tea is a cafe in Nashville, Tennessee.",
    "It is open Monday to Friday from 7am to 7pm and Saturday from 8am to 3pm.",
    "The cafe is closed on Sundays.",
    "Free WiFi is available.",
    "It offers free Wi-Fi and take out, but no outdoor seating.",
    "The cafe provides takeout and WiFi.",
    "One customer found parking tricky at lunch.",
    "It has 4.5 stars.",
    "Weekday hours are 7 to 7.",
    "Outdoor seating is not available, yet takeout is.",
    "Customers praise the friendly staff.",
    "There is no information on music or reservations.",
)
WRONG_OF_CAFE = (
    "The cafe has outdoor seating.",
    "It accepts reservations.",
    "Reservations are not required.",
    "It does not take reservations.",
    "It is suitable for groups.",
    "Soft music is played.",
    "It is open every day from 7am to 7pm.",
    "It opens from 8am to 5pm on Saturdays.",
    "There is no WiFi.",
    "Takeout is not offered.",
    "The cafe offers outdoor seating, takeout, and free WiFi.",
    "It has a rating of 4 stars overall.",
    "Its ambience is casual.",
)


def objections(claim: str, record: str) -> list[str]:
    return [verdict.path for verdict in check_record(claim, record) if verdict.agreement is not Agreement.SUPPORTED]


@pytest.mark.parametrize("claim", RIGHT_OF_KITCHEN)
def test_what_the_kitchens_record_says_stands(claim: str) -> None:
    assert objections(claim, KITCHEN) == []


@pytest.mark.parametrize("claim", WRONG_OF_KITCHEN)
def test_what_the_kitchens_record_denies_or_leaves_open_falls(claim: str) -> None:
    assert objections(claim, KITCHEN)


@pytest.mark.parametrize("claim", RIGHT_OF_CAFE)
def test_what_the_cafes_record_says_stands(claim: str) -> None:
    assert objections(claim, CAFE) == []


@pytest.mark.parametrize("claim", WRONG_OF_CAFE)
def test_what_the_cafes_record_denies_or_leaves_open_falls(claim: str) -> None:
    assert objections(claim, CAFE)
